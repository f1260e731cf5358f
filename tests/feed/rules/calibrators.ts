/** Well-known calibrators whose names hold no coordinates, such as 3C286 and Cygnus A. */
import { positionsInName } from './designation.ts';
import type { SkyPosition } from './sky.ts';

/** Where the calibrator is that `name` names, with or without a short suffix; empty if it names none. */
export function positionsOfCalibrator(name: string): readonly SkyPosition[] {
  const number = THIRD_CAMBRIDGE.exec(name)?.[1];
  const key = number === undefined ? name.replace(/[ _*-]/g, '').toUpperCase() : `3C${number}`;
  const designation = DESIGNATIONS.get(key);
  return designation === undefined ? [] : positionsInName(designation);
}

/** `3C286`, `3C 48`, `3c147_a`. A longer suffix may name something else, such as a calibrator next to it. */
const THIRD_CAMBRIDGE = /^3C[ _-]?(\d+(?:\.\d)?)(?:[ _-]?[a-z]{1,3}|[ _-]\d{1,2})?$/i;

/** Their J2000 names, from the alternative names in the VLA's list of calibrators. */
const DESIGNATIONS: ReadonlyMap<string, string> = new Map([
  ['3C48', 'J0137+3309'],
  ['3C84', 'J0319+4130'],
  ['PERSEUSA', 'J0319+4130'],
  ['3C111', 'J0418+3801'],
  ['3C119', 'J0432+4138'],
  ['3C120', 'J0433+0521'],
  ['3C123', 'J0437+2940'],
  ['3C138', 'J0521+1638'],
  ['3C144', 'J0534+2200'],
  ['TAUA', 'J0534+2200'],
  ['TAURUSA', 'J0534+2200'],
  ['3C147', 'J0542+4951'],
  ['3C161', 'J0627-0553'],
  ['3C196', 'J0813+4813'],
  ['OJ287', 'J0854+2006'],
  ['3C218', 'J0918-1205'],
  ['HYDRAA', 'J0918-1205'],
  ['3C273', 'J1229+0203'],
  ['3C274', 'J1230+1223'],
  ['VIRA', 'J1230+1223'],
  ['VIRGOA', 'J1230+1223'],
  ['3C279', 'J1256-0547'],
  ['3C286', 'J1331+3030'],
  ['3C287', 'J1330+2509'],
  ['3C295', 'J1411+5212'],
  ['3C298', 'J1419+0628'],
  ['3C309.1', 'J1459+7140'],
  ['3C345', 'J1642+3948'],
  ['3C348', 'J1651+0459'],
  ['HERCULESA', 'J1651+0459'],
  ['3C353', 'J1720-0058'],
  ['NRAO530', 'J1733-1304'],
  ['SGRA', 'J1745-2900'],
  ['3C371', 'J1806+6949'],
  ['3C380', 'J1829+4844'],
  ['3C390.3', 'J1842+7946'],
  ['3C395', 'J1902+3159'],
  ['3C405', 'J1959+4044'],
  ['CYGA', 'J1959+4044'],
  ['CYGNUSA', 'J1959+4044'],
  ['3C418', 'J2038+5119'],
  ['BLLAC', 'J2202+4216'],
  ['3C446', 'J2225-0457'],
  ['CTA102', 'J2232+1143'],
  ['3C454.3', 'J2253+1608'],
  ['3C461', 'J2323+5848'],
  ['CASA', 'J2323+5848'],
  ['CASSIOPEIAA', 'J2323+5848'],
]);
