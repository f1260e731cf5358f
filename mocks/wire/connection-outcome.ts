/** How the connection ended if the answer was not sent completely; `gone`: the client had left. */
export type ConnectionOutcome = 'reset' | 'cut' | 'gone' | undefined;
