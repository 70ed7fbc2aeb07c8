import { createHash } from 'node:crypto';
import type { Issuer } from '../../domain/issuer.ts';
import { CSRF_HEADER } from '../../domain/own-origin.ts';
import { LOGIN_FAILURES, type LoginFailure } from './login-failures.ts';

export interface LoginPage {
  readonly issuers: readonly Pick<Issuer, 'name' | 'displayName'>[];
  readonly failure: LoginFailure | undefined;
  /** The user has just logged in. */
  readonly done: boolean;
  readonly returnTo: string | undefined;
}

const STYLE = `
body { font: 1rem/1.5 system-ui, sans-serif; max-width: 26rem; margin: 4rem auto; padding: 0 1rem; color: #1a1a1a; }
h1 { font-size: 1.4rem; }
ul { list-style: none; padding: 0; }
a.issuer, button { display: block; width: 100%; box-sizing: border-box; padding: .6rem; margin: .5rem 0; border: 1px solid #555;
  border-radius: .3rem; background: #fff; color: inherit; font: inherit; text-align: center; text-decoration: none; cursor: pointer; }
input { width: 100%; box-sizing: border-box; padding: .6rem; font: inherit; }
[role=alert] { border-left: .3rem solid #b00020; padding: .3rem .8rem; background: #fdecef; }
`;

/** Request bodies are JSON, which a form without a script cannot send. */
const SCRIPT = `
const tell = (text) => { const place = document.getElementById('told'); place.textContent = text; place.hidden = text === ''; };
const send = async (path, body) => {
  const headers = { '${CSRF_HEADER}': '1', ...(body ? { 'content-type': 'application/json' } : {}) };
  const answer = await fetch(path, { method: 'POST', headers, ...(body ? { body: JSON.stringify(body) } : {}) });
  if (answer.ok) return true;
  const problem = await answer.json().catch(() => ({}));
  tell(problem.detail || 'The platform could not do this. Try again.');
  return false;
};
document.getElementById('code-form')?.addEventListener('submit', async (event) => {
  event.preventDefault();
  const { code, next } = event.target.elements;
  if (await send('/v1/login:redeem', { code: code.value, kind: 'browser' })) location.assign(next.value);
});
document.getElementById('logout')?.addEventListener('click', async () => {
  if (await send('/v1/logout')) location.assign('/login');
});
`;

/** Allows only this script and this style, and no requests to other origins. */
export const LOGIN_PAGE_POLICY = [
  "default-src 'none'",
  `script-src '${hashOf(SCRIPT)}'`,
  `style-src '${hashOf(STYLE)}'`,
  "connect-src 'self'",
  "form-action 'none'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** Where a login without `returnTo` ends. */
export const LOGGED_IN = '/login?outcome=done';

/** The login choices, and the failure of the previous attempt. The only page until there is a user interface. */
export function loginPage(page: LoginPage): string {
  return `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Log in to FleetShift</title>
<style>${STYLE}</style></head>
<body>
<main>
${page.done ? loggedIn() : choices(page)}
</main>
<script>${SCRIPT}</script>
</body>
</html>
`;
}

function loggedIn(): string {
  return `<h1>You are logged in</h1>
<p id="told" role="alert" hidden></p>
<p>You can close this window, or go to the <a href="/docs">documentation of the API</a>.</p>
<button id="logout" type="button">Log out</button>`;
}

function choices({ issuers, failure, returnTo }: LoginPage): string {
  const query = returnTo === undefined ? '' : `?returnTo=${encodeURIComponent(returnTo)}`;
  const items = issuers.map(
    ({ name, displayName }) =>
      `<li><a class="issuer" href="/v1/login/${escapeHtml(name)}${escapeHtml(query)}">${escapeHtml(displayName ?? name)}</a></li>`,
  );
  const told = failure === undefined ? '' : LOGIN_FAILURES[failure];
  return `<h1>Log in to FleetShift</h1>
<p id="told" role="alert"${told === '' ? ' hidden' : ''}>${escapeHtml(told)}</p>
${items.length === 0 ? '<p>No issuer is set up yet: log in with a one-time code.</p>' : `<ul>${items.join('')}</ul>`}
<form id="code-form">
<label for="code">One-time code of an administrator</label>
<input id="code" name="code" autocomplete="off" spellcheck="false" required maxlength="64">
<input type="hidden" name="next" value="${escapeHtml(returnTo ?? LOGGED_IN)}">
<button type="submit">Log in with the code</button>
</form>`;
}

function escapeHtml(text: string): string {
  const entities: Readonly<Record<string, string>> = {
    '&': '&amp;',
    '<': '&lt;',
    '>': '&gt;',
    '"': '&quot;',
    "'": '&#39;',
  };
  return text.replace(/[&<>"']/g, (character) => entities[character] ?? character);
}

function hashOf(text: string): string {
  return `sha256-${createHash('sha256').update(text).digest('base64')}`;
}
