/** What a rule consists of, and the sources that several rules cite. */

import type { Severity } from '../../support/verdict.ts';

/**
 * `S` follows from published text or from geometry, `D` is a defect seen in public data or code, `H` is a heuristic.
 * S and D are findings and fail a feed; H is a warning.
 */
export type RuleClass = 'S' | 'D' | 'H';

export interface RuleText {
  /** For a rule with findings and warnings, the stricter of its classes. */
  class: RuleClass;
  /** What it means where the rule fails a feed. */
  severity: Severity;
  statement: string;
  why: string;
  source: string;
  remedy: string;
}

export const FORMAT = 'https://obs.vla.nrao.edu/ods/index.html/data_format.html';
export const LANDING = 'https://obs.vla.nrao.edu/ods';
export const HAYSTACK = 'https://www.haystack.mit.edu/ods/';
export const DESIGN =
  'https://open-confluence.nrao.edu/pages/diffpages.action?originalId=131138327&pageId=131138341';
export const SENDER = 'https://open-confluence.nrao.edu/display/Arch/GBT+Data+Sender';
export const VLA_SENDER = 'https://open-confluence.nrao.edu/display/Arch/VLA+data+sender+description';
const ODSUTILS_FILES =
  'https://github.com/david-deboer/odsutils/blob/b182a9c4d98dc766a240264af9ce38c6a32528a9/odsutils';
export const ODSUTILS = `${ODSUTILS_FILES}/ods_standard.py` as const;
export const ODSUTILS_DEFAULTS = `${ODSUTILS_FILES}/data/ods_defaults_ata_B.json` as const;
export const ODSUTILS_CHECK = `${ODSUTILS_FILES}/ods_check.py` as const;
export const TOOLS = `${ODSUTILS_FILES}/ods_tools.py` as const;
export const WRITER =
  'https://github.com/ste616/atca-op-data-sharing/blob/5d073e2388f68f097922d7a645fa5788d8370656/atca_ods_service.py';
export const READER =
  'https://github.com/NSFCUSWIFTPASS/zms-ra-ingest/blob/main/src/ra_ingest/sources/ods.py';
