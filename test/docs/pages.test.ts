// What the pages of the documentation tell to type works.
import test from 'ava'
import { playPage } from '../support/pages.js'
import { missing } from '../support/programs.js'

/** Programs that commands of the pages need besides this one. */
const NEEDED = ['dig', 'curl', 'openssl', 'jq', 'xxd']

/** Of each page something that it makes its server tell. */
const PAGES: Readonly<Record<string, readonly RegExp[]>> = {
  'getting-started': [
    /"Ready":true/,
    /Bootstrap Token/,
    /lacks permission 'key:write' on "shop\/greeting"/,
    /^192\.0\.2\.10$/m,
    /^1 1 8080 c000020a\.addr\.dc1\.consul\.$/m,
    /"Key":"web\/build"/
  ],
  operations: [/"Ready":true/, /app\/port/],
  rules: [/web\/secret/],
  'auth-methods': [/"AuthMethod":"ci"/],
  'config-entries': [/"Kind":"service-splitter"/],
  transactions: [/"Results"/, /web\/port/],
  cli: [/only one at a time/],
  observability: [/annals_/]
}

const testPage = (path: string, expected: readonly RegExp[], server?: string): void =>
  test(`the commands of ${path} work, in their order`, async t => {
    for (const name of NEEDED) if (await missing(t, name)) return
    const output = await playPage(t, path, server)
    for (const one of expected) t.regex(output, one)
  })

for (const [page, expected] of Object.entries(PAGES)) testPage(`docs/${page}.md`, expected)
testPage('README.md', [/^hello$/m, /"Type":"KVDelete"/], 'annals serve')
