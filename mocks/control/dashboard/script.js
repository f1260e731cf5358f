// @ts-check
/** What a client's script says, and the form that gives it another. */
import { el, unseen, write } from './dom.js';
import { count } from './words.js';

/** @import { Client, Scenario, Wire } from './wire.js' */

let forms = 0;

/**
 * @param {string} id of the client
 * @param {object} parts
 * @param {Wire} parts.wire
 * @param {(message: string) => void} parts.say
 * @param {() => void} parts.changed
 * @param {readonly Scenario[]} parts.scenarios
 */
export function createScript(id, { wire, say, changed, scenarios }) {
  const number = ++forms;
  const path = `clients/${encodeURIComponent(id)}/script`;
  const heading = el('span', { class: 'what' });
  const shown = el('pre', { tabindex: 0, role: 'region', 'aria-label': `The script of ${id}` });
  const text = el('textarea', { id: `script-${number}`, rows: 6, spellcheck: 'false', autocomplete: 'off' });
  const fault = el('p', { id: `fault-${number}`, class: 'fault', hidden: true });
  const choice = el(
    'select',
    { id: `scenario-${number}`, change: choose },
    el('option', { value: '' }, 'your own'),
  );
  choice.append(
    ...scenarios.map(({ name, summary }) => el('option', { value: name }, `${name}: ${summary}`)),
  );
  const form = el(
    'form',
    { class: 'stack', submit: give, novalidate: true },
    el('label', { for: choice.id }, 'Scenario', unseen(' for the script of '), unseen(id)),
    choice,
    el('label', { for: text.id }, 'Script, as JSON', unseen(' for '), unseen(id)),
    text,
    fault,
    el(
      'div',
      { class: 'buttons' },
      el('button', { type: 'submit' }, 'Set this script', unseen(`: ${id}`)),
      el('button', { type: 'button', click: remove }, 'Remove the script', unseen(` of ${id}`)),
    ),
  );
  const root = el(
    'details',
    { class: 'script mock-only' },
    el('summary', {}, heading),
    el('div', {}, shown, form),
  );

  function choose() {
    const scenario = scenarios.find(({ name }) => name === choice.value);
    text.value = scenario ? JSON.stringify(scenario.script, undefined, 2) : '';
    complain('');
  }

  /** @param {string} sentence */
  function complain(sentence) {
    fault.hidden = sentence === '';
    fault.textContent = sentence;
    if (sentence === '') {
      text.removeAttribute('aria-invalid');
      text.removeAttribute('aria-describedby');
      return;
    }
    text.setAttribute('aria-invalid', 'true');
    text.setAttribute('aria-describedby', fault.id);
    text.focus();
  }

  /** @param {Event} event */
  async function give(event) {
    event.preventDefault();
    await send('PUT', text.value, `${id} has a new script; its calls count from 1 again.`);
  }

  async function remove() {
    await send('DELETE', undefined, `The script of ${id} is removed.`);
  }

  /** @param {string} method @param {string | undefined} body @param {string} done */
  async function send(method, body, done) {
    try {
      await wire.send(method, path, body);
      complain('');
      say(done);
    } catch (error) {
      complain(error instanceof Error ? error.message : String(error));
      say(`The script of ${id} is unchanged.`);
    }
    changed();
  }

  return {
    root,
    /** @param {Client} client */
    show({ script }) {
      write(heading, script.length === 0 ? 'No script' : `Script of ${count(script.length, 'step')}`);
      shown.hidden = script.length === 0;
      write(shown, script.map((step) => JSON.stringify(step)).join('\n'));
    },
  };
}
