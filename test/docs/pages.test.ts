// What the pages of the documentation tell to type works.
import test from 'ava'
import limit from 'p-limit'
import { playPage, type Play } from '../support/pages.js'
import { missing } from '../support/programs.js'

/** Programs that commands of the pages need besides this one. */
const NEEDED = ['dig', 'curl', 'openssl', 'jq', 'xxd']

/** Of each page something that it makes its server tell. */
const PAGES: Readonly<Record<string, readonly RegExp[]>> = {
  'tutorials/first-server': [
    /"Ready":true/,
    /Bootstrap Token/,
    /lacks permission 'key:write' on "shop\/greeting"/,
    /WEB-1: friendlier/,
    /^hello$/m,
    /"good day"/
  ],
  'tutorials/first-service': [
    /^192\.0\.2\.10$/m,
    /^1 1 8080 c000020a\.addr\.dc1\.consul\.$/m,
    /^192\.0\.2\.11$/m
  ],
  'tutorials/follow-the-stream': [/"Type":"KVDelete"/, /"Snapshot":"end"/, /^\{"End":"limit"/m, /loader/],
  'tutorials/month-end-audit': [
    /OPS-12: move to the new port/,
    /these are all its commits/,
    /Verified Successfully/
  ],
  'how-to/install': [/"Ready":true/],
  'how-to/secure-a-server': [/default_policy|DefaultPolicy/],
  'how-to/tls': [/Leader/],
  'how-to/back-up-and-restore': [/app\/port/, /^8080$/m],
  'how-to/monitor': [/annals_/],
  'how-to/upgrade': [/"Ready":true/],
  'how-to/least-privilege': [/key_prefix "?web\/config\//, /deny|denied/i],
  'how-to/tighten-a-policy': [
    /unknown/,
    /unused/,
    /# "web\/config\/port"/,
    /key_prefix "web\/config\/"/,
    /Recorded questions since .*: 0 denied, 0 unknown, 0 allowed, [1-9]\d* kept/,
    /denied/i
  ],
  'how-to/log-in-with-a-jwt': [/web-team/],
  'how-to/rotate-a-token': [/"RotatedTo":/],
  'how-to/restore-a-change': [/^8080$/m, /deploys/],
  'how-to/apply-from-files': [/\+ create token ci/, /^good morning$/m, /- delete key web\/port/, /^8080$/m],
  'how-to/canary': [/"?v1"?/],
  'how-to/lock-a-job': [/only one at a time/, /the backup runs/],
  'how-to/second-datacenter': [/"Running":true/, /second$/m],
  'reference/rules': [/web\/secret/],
  'reference/auth-methods': [/"AuthMethod":"ci"/],
  'reference/config-entries': [/"Kind":"service-splitter"/],
  'reference/change-sets': [/"Action":"create"/],
  'reference/transactions': [/"Results"/, /web\/port/],
  'reference/history': [/OPS-12: the old port is blocked/, /"Undone"/],
  'reference/audit': [/"Reason":"OPS-12"/],
  'reference/idempotency': [/"Description":"deploys"/],
  'reference/evidence': [/"TreeSize"/, /"Leaf"/],
  'reference/erasure': [/"DryRun":true/],
  'reference/event-stream': [/"End":"until"/],
  'reference/cursors': [/^true\{/m, /whsec_/],
  'reference/cli': [/only one at a time/],
  'reference/log-files': [/ANNALS|annals\//],
  'explanation/concepts': [/OPS-12: new port/],
  'explanation/troubleshooting': [/Ready/]
}

/** The server that stands in for Consul, whose API it has. */
const CONSUL = `
\`\`\`sh server
annals serve --data-dir consul --http-port 8500 --dns-port 8600
\`\`\`

\`\`\`sh
annals bootstrap -http-addr 127.0.0.1:8500 | awk '/^SecretID/ { print $2 }' > consul.token
annals kv put -http-addr 127.0.0.1:8500 -token-file consul.token shop/port 8080
annals policy create -http-addr 127.0.0.1:8500 -token-file consul.token -name shop -rules 'key_prefix "shop/" { policy = "read" }'
\`\`\`
`

/** Each page has a server or two of its own. */
const inTurn = limit(6)

const testPage = (
  path: string,
  expected: readonly RegExp[],
  play?: Play,
  needed: readonly string[] = NEEDED
): void =>
  test(`the commands of ${path} work, in their order`, async t => {
    for (const name of needed) if (await missing(t, name)) return
    const output = await inTurn(async () => await playPage(t, path, play))
    for (const one of expected) t.regex(output, one)
  })

for (const [page, expected] of Object.entries(PAGES)) testPage(`docs/${page}.md`, expected)
testPage('docs/how-to/recover.md', [/the chain holds/], {
  prelude: '```sh\nannals kv put shop/port 8080 > put\n```\n'
})
testPage('docs/how-to/move-from-consul.md', [/shop\/port/, /192\.0\.2\.10/], { prelude: CONSUL })
testPage('docs/how-to/three-servers.md', [/^8080$/m, /server-2/], {}, [...NEEDED, 'etcd'])
testPage('README.md', [/^hello$/m, /"Type":"KVDelete"/], { server: 'annals serve' })
