// The tarball of `npm pack`: installed by npm, it is the program, the server and the library, and nothing is built.
import { execFile } from 'node:child_process'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import test, { type ExecutionContext } from 'ava'
import { programVersion } from '../../events/version.js'
import { send } from '../support/client.js'
import { projectRoot, startServer, temporaryFolder } from '../support/process.js'

const run = promisify(execFile)

/** npm asks the registry only for what no installation on this machine has brought before. */
const npm = (...parameters: readonly string[]) =>
  run('npm', [...parameters, '--prefer-offline', '--no-audit', '--no-fund', '--loglevel=error'], {
    cwd: projectRoot
  })

/** Installs the tarball for everybody below a new folder, and returns that folder. */
const installed = async (t: ExecutionContext): Promise<string> => {
  const prefix = temporaryFolder(t)
  // What it holds is built: the tests are.
  await npm('pack', '--ignore-scripts', `--pack-destination=${prefix}`)
  const [tarball = ''] = readdirSync(prefix)
  await npm('install', '--global', `--prefix=${prefix}`, join(prefix, tarball))
  return prefix
}

const USER = `
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { durable, openLog, project, type AnyEvent, type Commit, type ReadableLog } from 'annals'
import { replay, type Replayed } from 'annals/replay'
import { AnnalsClient, type Schemas } from 'annals/client'
import { given, givenLog } from 'annals/testing'
export const used: [typeof openLog, typeof given, typeof replay, Commit?, Replayed?] = [openLog, given, replay]
type Rules = { [name: string]: string }
const isRules = (value: unknown): value is Rules => typeof value === 'object' && value !== null
const rules = project<Rules>({
  initial: {},
  on: {
    'ACLPolicy.ACLPolicyUpserted': (draft, { Payload: { ACLPolicy } }) => {
      draft[ACLPolicy.Name] = ACLPolicy.Rules
    }
  }
})
export const saved = durable(rules, isRules, { file: './rules.json', version: 1 })
export const nameOf = (event: AnyEvent): string => {
  // @ts-expect-error other topics have no policy
  if (event.Topic === 'KV') return event.Payload.ACLPolicy.Name
  return event.Topic === 'ACLPolicy' ? event.Payload.ACLPolicy.Name : event.Key
}
export const keysOf = async (log: ReadableLog): Promise<readonly string[]> => {
  const keys: string[] = []
  // @ts-expect-error the topic has no policy
  for await (const { Events } of log.commits({ topics: ['KV'] })) keys.push(...Events.map(({ Payload }) => Payload.ACLPolicy.Name))
  for await (const { Events } of log.commits({ topics: ['KV'] })) keys.push(...Events.map(({ Payload }) => Payload.KV.Key))
  return keys
}
test('a projection over a log', async () => {
  await using server = await given().server()
  const body = JSON.stringify({ Name: 'web', Rules: 'key "a" { policy = "read" }' })
  await server.fetch('/v1/acl/policy', { method: 'PUT', body })
  await givenLog(server.log).when(rules).then(state => assert.equal(state['web'], 'key "a" { policy = "read" }'))
  await assert.rejects(givenLog(server.log).when(rules).then(state => assert.deepEqual(state, {})))
})
export const key = async (): Promise<Schemas['KVAnswer'] | undefined> =>
  (await new AnnalsClient({ address: 'localhost:8500' }).api.GET('/v1/kv/{key}', { params: { path: { key: 'a' } } })).data
`

/** Of generic types, in the compilation of a program: their number does not depend on the machine, as its time does. */
const MAX_INSTANTIATIONS = 3_000_000

test('the packed program is on the PATH, serves, and is a library with types', async t => {
  const prefix = await installed(t)
  const program = join(prefix, 'bin/annals')
  const { stdout } = await run(program, ['version'])
  t.regex(stdout, new RegExp(`^annals ${programVersion()} \\(node v[0-9.]+\\)\\n$`))

  const server = await startServer(t, { main: program })
  const token = await server.bootstrap()
  const { status } = await send(server.base, 'PUT', '/v1/kv/a', { token, body: '1' })
  t.is(status, 200)
  const shown = await run(program, ['status', `-http-addr=${server.base}`, `-token=${token}`])
  t.regex(shown.stdout, /Bootstrap Token/)
  await server.stop()

  const config = join(prefix, 'tracing.json')
  writeFileSync(config, JSON.stringify({ tracing: { endpoint: 'http://127.0.0.1:1/v1/traces' } }))
  const refused = await t.throwsAsync(
    run(program, ['serve', '--config', config, '--data-dir', join(prefix, 'data')])
  )
  t.regex(refused?.message ?? '', /tracing\.endpoint needs packages that are not installed/)
  const { peerDependencies }: { readonly peerDependencies: Readonly<Record<string, string>> } = JSON.parse(
    readFileSync(join(projectRoot, 'package.json'), 'utf8')
  )
  for (const name of Object.keys(peerDependencies)) t.true(refused?.message.includes(name), name)

  const packages = readdirSync(join(prefix, 'lib/node_modules/annals/node_modules'), { recursive: true })
  t.true(
    packages.filter(path => /(^|node_modules\/)(@[^/]+\/)?[^/@]+\/package\.json$/.test(String(path)))
      .length <= 60
  )

  const folder = join(prefix, 'lib')
  writeFileSync(join(folder, 'user.mts'), USER)
  const compiler = join(projectRoot, 'node_modules/.bin/tsc')
  const settings = {
    module: 'nodenext',
    target: 'es2023',
    typeRoots: join(projectRoot, 'node_modules/@types'),
    types: 'node',
    lib: 'es2023,dom,esnext.disposable'
  }
  const strict = ['--strict', '--exactOptionalPropertyTypes', '--noUncheckedIndexedAccess']
  const flags = Object.entries(settings).flatMap(([name, value]) => [`--${name}`, value])
  const options = ['--outDir', '.', '--skipLibCheck', 'false', ...strict, ...flags, 'user.mts']
  const { stdout: report } = await run(compiler, [...options, '--extendedDiagnostics'], { cwd: folder })
  const [, instantiations, seconds] =
    /^Files:[^]*^Instantiations: +(\d+)$[^]*^Total time: +(\S+)s$/m.exec(report) ?? []
  t.log(`compiled in ${seconds} s`)
  t.true(Number(instantiations) <= MAX_INSTANTIATIONS, report)
  const { stdout: tested } = await run(process.execPath, ['--test', 'user.mjs'], { cwd: folder })
  t.regex(tested, /pass 1\b[^]*fail 0\b/)
})

test('the tarball holds what runs, and nothing that only its makers need', async t => {
  const { stdout } = await npm('pack', '--ignore-scripts', '--dry-run', '--json')
  const [{ files }]: readonly [{ readonly files: readonly { readonly path: string }[] }] = JSON.parse(stdout)
  const paths = files.map(({ path }) => path)
  t.true(paths.includes('program/server/main.js'))
  t.true(paths.includes('dist/library/index.d.ts'))
  t.true(paths.includes('LICENSE'))
  t.deepEqual(
    paths.filter(
      path =>
        /^dist\/(test|examples)\/|\.(map|ts|tsbuildinfo|peggy)$/.test(path) &&
        !path.endsWith('.d.ts') &&
        !path.startsWith('program/')
    ),
    []
  )
})
