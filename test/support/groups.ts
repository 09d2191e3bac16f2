// Which test files run in `npm test` and in `npm run test:integration`, and which of them share a thread.
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join, relative, resolve, sep } from 'node:path'

/** dist/test, seen from dist/test/support. */
export const testFolder = resolve(import.meta.dirname, '..')
export const groupFolder = join(testFolder, 'groups')

/** Need a program or take minutes: `npm run test:integration`. */
export const INTEGRATION: Readonly<Record<string, string>> = {
  'clients/cli/completion': 'zsh and fish',
  'clients/cli/foreign-log': 'etcd',
  'clients/typescript/typed': 'a browser',
  'clients/ui/': 'a browser',
  'cluster/etcd-absent': 'etcd',
  'cluster/harness': 'etcd',
  'cluster/managed': 'etcd',
  'cluster/quick': 'etcd',
  'datacenters/': 'three datacenters as processes',
  'deploy/': 'package tools, systemd and Prometheus',
  'docs/': 'the programs of the documentation',
  'events/cluster/protocol/': 'minutes for the model checker',
  'events/damage': 'many seconds of processor time',
  'events/etcd/': 'etcd',
  'events/power-loss': 'many seconds of processor time',
  'events/segments/faults': 'many seconds of processor time',
  'http/openapi/client': 'the compiler',
  'http/openapi/lint': 'the linters of OpenAPI',
  'http/stream/browser': 'a browser',
  'http/stream/groups/kills': 'servers to kill',
  'http/stream/property': 'servers to kill',
  'http/webhooks/crash': 'servers to kill',
  'resource-definitions/new-field': 'a copy of the build',
  'server/commands/cluster': 'etcd',
  'server/commands/evidence/sumdb': 'Go',
  'server/commands/evidence/tiles': 'Go',
  'server/crash': 'servers to kill',
  'server/disk-full': 'a small disk',
  'server/erased-files': 'many seconds of processor time',
  'server/litewitness': 'a witness of Debian',
  'server/telemetry/metrics/promtool': 'Prometheus',
  'simulation/': 'many seconds of processor time'
}

/** Have a command of their own. */
const SEPARATE = ['crash/', 'cluster/faults/', 'cluster/machines/', 'datacenters/faults/']

/** Need a thread of their own. */
const ALONE: Readonly<Record<string, string>> = {
  'conformance/conformance': 'plays its cases in parallel, and takes longest'
}

/**
 * Folders whose files share a thread, longest first. A file belongs to the longest one that its path begins with. Those of `events` allocate many
 * large buffers: each collection that these cause goes through all that a thread has loaded, so it is little.
 */
const GROUPS = [
  '',
  'server/cluster',
  'http/routes',
  'server',
  'http',
  'http/wire',
  'events',
  'http/routes/acl',
  'server/commands'
]

const isIn =
  (path: string) =>
  (folder: string): boolean =>
    path.startsWith(folder)

/** Every test file, relative to dist/test and without its ending. */
const paths = (): readonly string[] =>
  ['', '../library/examples']
    .flatMap(folder =>
      readdirSync(join(testFolder, folder), { recursive: true, encoding: 'utf8' }).map(path =>
        join(folder, path)
      )
    )
    .filter(path => path.endsWith('.test.js'))
    .map(path => path.split(sep).join('/').replace('.test.js', ''))
    .filter(path => !SEPARATE.some(isIn(path)))
    .toSorted()

const isIntegration = (path: string): boolean => Object.keys(INTEGRATION).some(isIn(path))

const fileOf = (path: string): string => join(testFolder, `${path}.test.js`)

/** Returns true if properties or sweeps of a file are shorter in `npm test`. */
const isShortened = (path: string): boolean =>
  readFileSync(fileOf(path), 'utf8').includes('/property-runs.js')

/** Returns the files of `npm run test:integration`. */
export const integrationFiles = (): readonly string[] =>
  paths()
    .filter(path => isIntegration(path) || isShortened(path))
    .map(fileOf)

const groupOf = (path: string): string =>
  GROUPS.filter(isIn(path)).reduce((longest, folder) => (folder.length > longest.length ? folder : longest))

const importing = (files: readonly string[]): string =>
  files.map(path => `import '../${path}.test.js'\n`).join('')

/** Writes a file for each group that imports its test files. Returns the files of `npm test`, those first that take longest. */
export const writeGroups = (): readonly string[] => {
  const [alone, shared] = [
    Object.keys(ALONE),
    paths().filter(path => !isIntegration(path) && !(path in ALONE))
  ]
  rmSync(groupFolder, { recursive: true, force: true })
  mkdirSync(groupFolder)
  const groups = GROUPS.map(folder => {
    const file = join(groupFolder, `${folder.replaceAll('/', '-') || 'root'}.js`)
    writeFileSync(file, importing(shared.filter(path => groupOf(path) === folder)))
    return file
  })
  return [...alone.map(fileOf), ...groups]
}

/** Returns the path of a test file as the titles of its group have it. */
export const titleOf = (file: string): string => relative(testFolder, file).replace('.test.js', '')
