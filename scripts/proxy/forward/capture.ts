/** Copies of bodies that pass, limited in size: for each of them, and for all that are under way. */

export interface Capture {
  add(chunk: Buffer): void;
  /** How much passed. */
  readonly bytes: number;
  /** Undefined if more passed than is kept. */
  body(): Buffer | undefined;
  /** Gives the memory back. */
  release(): void;
}

export interface CaptureLimits {
  /** Of one body, in bytes. */
  each: number;
  /** Of all bodies that are under way, in bytes. */
  total: number;
}

/** Makes captures that share the limit `total`. */
export function createCaptures({ each, total }: CaptureLimits): () => Capture {
  let held = 0;
  return () => {
    let chunks: Buffer[] | undefined = [];
    let kept = 0;
    let bytes = 0;
    const release = () => {
      held -= kept;
      kept = 0;
      chunks = undefined;
    };
    return {
      add(chunk) {
        bytes += chunk.length;
        if (!chunks) return;
        if (kept + chunk.length > each || held + chunk.length > total) return release();
        kept += chunk.length;
        held += chunk.length;
        chunks.push(chunk);
      },
      get bytes() {
        return bytes;
      },
      body: () => chunks && (chunks.length === 1 ? chunks[0] : Buffer.concat(chunks)),
      release,
    };
  };
}
