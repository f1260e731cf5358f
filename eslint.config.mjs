// Biome lints and formats. ESLint finds only regular expressions that take more time than the length of a text explains.
import parser from '@typescript-eslint/parser';
import * as regexp from 'eslint-plugin-regexp';

export default [
  { ignores: ['dist', '**/*.d.ts', '**/*.schema.ts', '**/*.test.ts', '**/testing'] },
  {
    files: ['**/*.{ts,mts,js,mjs}'],
    languageOptions: { parser },
    plugins: { regexp },
    rules: { 'regexp/no-super-linear-backtracking': 'error', 'regexp/no-super-linear-move': 'error' },
  },
];
