/** The instruments of the registry, as far as a plausible schedule needs them. */

/** The place of an instrument: one of `x-records.sites` in a profile's document. */
export interface Site {
  id: string;
  latDeg: number;
  lonDeg: number;
  elM: number;
}

export interface Instrument {
  /** Follows the site's id: the arrangement of its antennas. */
  configuration: string;
  dishM: number;
  subarrays: number;
  /** Lower and upper edge, in hertz. */
  bandsHz: readonly (readonly [number, number])[];
  /** The share of its observations that last for up to hours. */
  long: number;
  /** How fast it turns, in degrees per minute. */
  azimuthRate: number;
  elevationRate: number;
  /** The integration times that it uses. */
  integrationsS: readonly number[];
}

/** Two bands in which satellite operators transmit: direct to device, and down to their users. */
const DIRECT = [1.99e9, 1.995e9] as const;
const DOWNLINK = [10.7e9, 12.7e9] as const;

const KNOWN: Readonly<Record<string, Partial<Instrument>>> = {
  vla: {
    configuration: '_D',
    subarrays: 3,
    bandsHz: [DIRECT, DOWNLINK, [1e9, 2e9], [8e9, 12e9]],
    long: 0.01,
    azimuthRate: 40,
    elevationRate: 20,
    integrationsS: [1, 2, 3, 5],
  },
  gbt: {
    dishM: 100,
    bandsHz: [DOWNLINK, [1.15e9, 1.73e9], [7.8e9, 11.6e9]],
    long: 0.07,
    azimuthRate: 36,
    elevationRate: 18,
    integrationsS: [1, 5, 10],
  },
  ata: { dishM: 6.1, bandsHz: [DIRECT], long: 0.07, azimuthRate: 180, elevationRate: 90 },
  wf: {
    dishM: 18.3,
    bandsHz: [[2.2e9, 2.4e9], [8.2e9, 8.9e9], DOWNLINK],
    long: 0,
    azimuthRate: 200,
    elevationRate: 120,
    integrationsS: [1],
  },
  atca: {
    configuration: '_6A',
    dishM: 22,
    bandsHz: [[1.1e9, 3.1e9], DOWNLINK],
    long: 0.03,
    azimuthRate: 38,
    elevationRate: 19,
    integrationsS: [5, 10],
  },
  askap: {
    dishM: 12,
    bandsHz: [[7e8, 1.8e9]],
    long: 0.15,
    azimuthRate: 180,
    elevationRate: 90,
    integrationsS: [10],
  },
};

/** An unknown instrument is a dish of 25 m. */
export const instrumentAt = ({ id }: Site): Instrument => ({
  configuration: '',
  dishM: 25,
  subarrays: 1,
  bandsHz: [DIRECT, DOWNLINK],
  long: 0.05,
  azimuthRate: 40,
  elevationRate: 20,
  integrationsS: [2, 4, 8],
  ...KNOWN[id.toLowerCase()],
});
