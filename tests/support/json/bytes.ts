/** The bytes by which JSON (RFC 8259) is read without a parser. */
export const [QUOTE, COMMA, COLON] = [0x22, 0x2c, 0x3a] as const;
export const [BRACE, BRACE_END, BRACKET, BRACKET_END] = [0x7b, 0x7d, 0x5b, 0x5d] as const;
