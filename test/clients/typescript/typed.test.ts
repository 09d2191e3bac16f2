// `annals/client` as users import it: from the package, with the types of this server's API, and in a page of a browser.
import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join, normalize } from 'node:path'
import { promisify } from 'node:util'
import test from 'ava'
import { newPage } from '../../support/browser.js'
import { freePort, projectRoot } from '../../support/process.js'
import { ROOT, serverInProcess } from '../../support/server.js'

const run = promisify(execFile)

/** What a user writes: it does not compile with a path, a field or a topic of another type. */
const PROGRAM = `
import { AnnalsClient, RequestRefused, type Schemas } from 'annals/client'
const [address = '', token = ''] = process.argv.slice(2)
const client = new AnnalsClient({ address, token })
const made = await client.api.PUT('/v1/acl/token', { body: { Description: 'of the client' } })
const description: string | undefined = made.data?.Description
// @ts-expect-error there is no such path
client.api.GET('/v1/nothing').catch(() => {})
await client.api.PUT('/v1/kv/{key}', { params: { path: { key: 'web/port' } }, body: '8080' })
const { data } = await client.api.GET('/v1/kv/{key}', { params: { path: { key: 'web/port' } } })
const [entry] = data ?? []
const value = typeof entry === 'object' ? entry.Value : ''
const keys: string[] = []
for await (const { Events } of client.events({ topics: ['KV'], index: 1, until: 'now' }))
  for (const { Key } of Events) keys.push(Key)
let refused = ''
try {
  await client.api.GET('/v1/acl/token/{AccessorID}', { params: { path: { AccessorID: 'none' } } })
} catch (error) {
  if (error instanceof RequestRefused) refused = error.message
}
export type Kept = Schemas['Token']
console.log(JSON.stringify({ description, value, keys, isRefused: refused !== '' }))
`

test('the package has the client with the types of the API', async t => {
  const server = await serverInProcess(t)
  // Below the package, whose own name it imports.
  const folder = mkdtempSync(join(projectRoot, 'dist/user-'))
  t.teardown(() => rmSync(folder, { recursive: true }))
  writeFileSync(join(folder, 'user.mts'), PROGRAM)
  const compiler = join(projectRoot, 'node_modules/typescript/bin/tsc')
  const options = [
    '--ignoreConfig',
    '--ignoreConfig',
    '--strict',
    '--module',
    'nodenext',
    '--target',
    'es2023',
    '--types',
    'node',
    '--skipLibCheck'
  ]
  await t.notThrowsAsync(run(process.execPath, [compiler, ...options, 'user.mts'], { cwd: folder }))
  const { stdout } = await run(process.execPath, ['user.mjs', server.base, ROOT], { cwd: folder })
  t.deepEqual(JSON.parse(stdout), {
    description: 'of the client',
    value: btoa('8080'),
    keys: ['web/port'],
    isRefused: true
  })
})

const PAGE = `<!doctype html><title>client</title>
<script type="importmap">{"imports": {"annals/client": "/dist/clients/typescript/typed/index.js", "openapi-fetch": "/node_modules/openapi-fetch/dist/index.mjs"}}</script>
<script type="module">import * as annals from 'annals/client'; window.annals = annals</script>`

test('a page of another origin reads, writes, and follows events over both wires', async t => {
  const page = await newPage(t)
  if (!page) return
  const port = await freePort()
  const files = createServer(({ url = '/' }, response) => {
    const isPage = url === '/'
    response.setHeader('Content-Type', isPage ? 'text/html' : 'text/javascript')
    response.end(isPage ? PAGE : readFileSync(join(projectRoot, normalize(url))))
  })
  await new Promise<void>(resolve => files.listen(port, '127.0.0.1', resolve))
  t.teardown(() => void files.close())
  const origin = `http://127.0.0.1:${port}`
  const server = await serverInProcess(t, { config: { http: { allowed_origins: [origin] } } })
  await page.goto(origin)
  await page.waitForFunction('window.annals')
  const seen = await page.evaluate(`(async () => {
    const client = new annals.AnnalsClient({ address: '${server.base}', token: '${ROOT}' })
    const { data } = await client.api.PUT('/v1/kv/{key}', { params: { path: { key: 'a' } }, body: '1' })
    const { value, index } = (await client.blocking('/v1/kv/a').next()).value
    const keys = []
    for (const wire of ['http', 'websocket'])
      for await (const { Events } of client.events({ wire, topics: ['KV'], index: Number(index), limit: 1 })) keys.push(Events[0].Key)
    const lock = await client.lock('leader')
    await lock.release()
    const stranger = new annals.AnnalsClient({ address: '${server.base}', token: '${ROOT.replace('b', 'c')}' })
    const refused = await stranger.api.GET('/v1/acl/tokens').catch(({ name, status }) => name + ' ' + status)
    return { data, value: value[0].Value, keys, isLost: lock.lost.aborted, refused }
  })()`)
  t.deepEqual(seen, {
    data: true,
    value: btoa('1'),
    keys: ['a', 'a'],
    isLost: false,
    refused: 'RequestRefused 403'
  })
})
