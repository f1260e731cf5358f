/** How a form that must be refused differs from the valid one. */
import type { TokenForm, ValidForm } from './row.ts';

/** The form without one field. */
export const without =
  (field: keyof TokenForm) =>
  (form: ValidForm): TokenForm =>
    Object.fromEntries(Object.entries(form).filter(([name]) => name !== field));

/** The form with another value in one field; undefined where `change` returns none, or the same. */
export const changed =
  (field: keyof ValidForm, change: (value: string) => string | undefined) =>
  (form: ValidForm): TokenForm | undefined => {
    const value = change(form[field] ?? '');
    return value === undefined || value === form[field] ? undefined : { ...form, [field]: value };
  };

/** The same value, whatever it replaces. */
export const constant = (value: string) => () => value;
