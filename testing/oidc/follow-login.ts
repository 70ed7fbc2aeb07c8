/** One page on the way through a login: its address and content. */
export interface Page {
  readonly url: URL;
  readonly status: number;
  readonly text: string;
}

const MAX_STEPS = 20;
const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

/**
 * A minimal browser for logins: it keeps cookies, follows redirects, and submits forms unchanged until there are none
 * left. For tests that are not about browsers.
 */
export async function followLogin(start: string, signal: AbortSignal): Promise<Page> {
  const jar = new Map<string, Map<string, string>>();
  let next: Step | undefined = { url: new URL(start), form: undefined };
  for (let step = 0; step < MAX_STEPS && next !== undefined; step += 1) {
    const response: Response = await send(next, jar, signal);
    const { url }: Step = next;
    const location = response.headers.get('location');
    if (REDIRECTS.has(response.status) && location !== null) {
      await response.body?.cancel();
      next = { url: new URL(location, url), form: undefined };
      continue;
    }
    const text = await response.text();
    const form = formIn(text, url);
    if (form === undefined) return { url, status: response.status, text };
    next = form;
  }
  throw new Error(`follow ${new URL(start).origin}: it goes on and on`);
}

interface Step {
  readonly url: URL;
  readonly form: URLSearchParams | undefined;
}

async function send(
  { url, form }: Step,
  jar: Map<string, Map<string, string>>,
  signal: AbortSignal,
): Promise<Response> {
  const cookies = jar.get(url.origin) ?? new Map<string, string>();
  jar.set(url.origin, cookies);
  const response = await fetch(url, {
    method: form === undefined ? 'GET' : 'POST',
    redirect: 'manual',
    headers: { cookie: Array.from(cookies, (pair) => pair.join('=')).join('; ') },
    ...(form === undefined ? {} : { body: form }),
    signal,
  });
  for (const line of response.headers.getSetCookie()) {
    const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
    if (value === '') cookies.delete(name);
    else cookies.set(name, value);
  }
  return response;
}

/** The first form of a page, with all the fields it would submit. */
function formIn(html: string, base: URL): Step | undefined {
  const [, attributes = '', content = ''] = /<form([^>]*)>([^]*?)<\/form>/.exec(html) ?? [];
  const action = /action="([^"]*)"/.exec(attributes)?.[1];
  if (action === undefined) return undefined;
  const form = new URLSearchParams();
  for (const [input] of content.matchAll(/<input[^>]*>/g)) {
    const name = /name="([^"]*)"/.exec(input)?.[1];
    if (name !== undefined) form.set(name, /value="([^"]*)"/.exec(input)?.[1] ?? '');
  }
  return { url: new URL(action, base), form };
}
