// What the pages of the documentation tell to type works.
import test from 'ava'
import { playPage } from '../support/pages.js'
import { missing } from '../support/programs.js'

/** Programs that commands of the pages need besides this one. */
const NEEDED = ['dig', 'curl', 'openssl', 'jq', 'xxd']

/** Of each page something that it makes its server tell. */
const PAGES: Readonly<Record<string, readonly RegExp[]>> = {
  'tutorials/first-server': [
    /"Ready":true/,
    /Bootstrap Token/,
    /lacks permission 'key:write' on "shop\/greeting"/,
    /^192\.0\.2\.10$/m,
    /^1 1 8080 c000020a\.addr\.dc1\.consul\.$/m,
    /"Key":"web\/build"/
  ],
  'how-to/install': [/"Ready":true/, /app\/port/],
  'reference/rules': [/web\/secret/],
  'reference/auth-methods': [/"AuthMethod":"ci"/],
  'reference/config-entries': [/"Kind":"service-splitter"/],
  'reference/transactions': [/"Results"/, /web\/port/],
  'reference/cli': [/only one at a time/],
  'how-to/monitor': [/annals_/]
}

const testPage = (path: string, expected: readonly RegExp[], server?: string): void =>
  test(`the commands of ${path} work, in their order`, async t => {
    for (const name of NEEDED) if (await missing(t, name)) return
    const output = await playPage(t, path, server)
    for (const one of expected) t.regex(output, one)
  })

for (const [page, expected] of Object.entries(PAGES)) testPage(`docs/${page}.md`, expected)
testPage('README.md', [/^hello$/m, /"Type":"KVDelete"/], 'annals serve')
