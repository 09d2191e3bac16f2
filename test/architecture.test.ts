// Reads the sources and fails on an import in a wrong direction, on a clock or I/O in pure code, and on a long file.
import { readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import test from 'ava'
import { projectRoot } from './support/process.js'
import { sourcesIn, type Source } from './support/sources.js'

const LONGEST = { source: 300, test: 350 }

const sources = ['client', 'events', 'projections', 'actors', 'http', 'library'].flatMap(folder =>
  sourcesIn(folder)
)
const tests = sourcesIn('test')

const within =
  (...folders: readonly string[]) =>
  (path: string): boolean =>
    folders.some(folder => path.startsWith(`${folder}/`))
const isOurs = within('client', 'events', 'projections', 'actors', 'http', 'library')
const aggregates = new Set(sources.filter(({ isAggregate }) => isAggregate).map(({ path }) => path))
const isPure = (path: string): boolean =>
  within('projections/acl', 'projections/chain', 'projections/language')(path) || aggregates.has(path)
const isEngine = (target: string): boolean =>
  target.startsWith('events/log/') &&
  ![
    'events/log/log',
    'events/log/provable-log',
    'events/log/report',
    'events/log/record',
    'events/log/cluster/follow',
    'events/log/cluster/link',
    'events/log/cluster/record-stream',
    'events/log/cluster/shared-log'
  ].includes(target) &&
  !within('events/log/snapshots', 'events/log/tree', 'events/log/evidence')(target)

const mayKnowEngines = (path: string): boolean =>
  [
    'server/cluster/members/clustered-log.ts',
    'server/compose.ts',
    'http/routes/snapshot/proof-thread.ts',
    'http/stream/catch-up/thread.ts'
  ].includes(path) || within('clients/cli', 'server/cluster/workers', 'events/log', 'library')(path)

/** What calls of etcd are made with. */
const ETCD_CLIENT: readonly string[] = ['node:http2', 'protobufjs']

/** Every import of files that `from` selects and whose target `to` selects, as `file -> target`. */
function imports(from: (path: string) => boolean, to: (target: string, ours: boolean) => boolean): string[] {
  return sources
    .filter(({ path }) => from(path))
    .flatMap(source =>
      source.imports
        .filter(({ target, ours }) => to(target, ours))
        .map(({ target }) => `${source.path} -> ${target}`)
    )
}

/** Every file that `from` selects and whose code matches. */
function uses(from: (path: string) => boolean, pattern: RegExp): string[] {
  return sources
    .filter(({ path }) => from(path))
    .flatMap(
      ({ path, code }) =>
        code
          .match(pattern)
          ?.slice(0, 1)
          .map(found => `${path}: ${found}`) ?? []
    )
}

const isAmong =
  (names: readonly string[]) =>
  (target: string, ours: boolean): boolean =>
    !ours && names.includes(target)

test('events import nothing of ours', t => {
  t.deepEqual(
    imports(within('events'), (target, ours) => ours && !within('events')(target)),
    []
  )
})

test('only the engines of the log use a store, and events no other package', t => {
  t.deepEqual(
    imports(within('events'), (target, ours) => {
      const isPackage = !ours && !target.startsWith('node:')
      return isPackage && ![...ETCD_CLIENT, 'fs-native-extensions'].includes(target)
    }),
    []
  )
  t.deepEqual(
    imports(path => within('events')(path) && !within('events/log/etcd')(path), isAmong(ETCD_CLIENT)),
    []
  )
  t.deepEqual(
    imports(path => !within('events/log')(path), isAmong(['fs-native-extensions'])),
    []
  )
})

test('projections import events only', t => {
  t.deepEqual(
    imports(within('projections'), (target, ours) => ours && !within('projections', 'events')(target)),
    []
  )
  t.deepEqual(imports(within('projections'), isAmong(['tsyringe'])), [])
})

test('projections ask no clock', t => {
  t.deepEqual(uses(within('projections'), /\bDate\.now\(|\bnew Date\(\)|\bperformance\.now\(/), [])
})

test('actors never import http, nor what serves it', t => {
  t.deepEqual(
    imports(within('actors'), target => within('http')(target)),
    []
  )
  t.deepEqual(
    imports(path => !within('http')(path), isAmong(['find-my-way', 'ws', 'commander'])),
    []
  )
})

test('nothing below imports the library', t => {
  t.deepEqual(
    imports(path => !within('library')(path), within('library')),
    []
  )
})

test('the client imports nothing of the server, and nothing of Node: it runs in browsers, too', t => {
  t.deepEqual(
    imports(within('client'), (target, ours) =>
      ours ? !within('client', 'api')(target) : !['openapi-fetch'].includes(target)
    ),
    []
  )
  // Looks for Node when it is called, and says so where there is none.
  const isForBrowsers = (path: string) =>
    within('client')(path) && !path.startsWith('clients/typescript/wires/socket-fetch')
  t.deepEqual(uses(isForBrowsers, /\b(process|Buffer|setImmediate|__dirname)\b/), [])
  t.deepEqual(imports(within('events', 'projections', 'actors'), within('client')), [])
})

test('decisions, rules, chains and filters are pure: no I/O, no clock, no randomness, no container', t => {
  const io = [
    'fs',
    'fs/promises',
    'net',
    'http',
    'https',
    'dgram',
    'dns',
    'child_process',
    'timers',
    'timers/promises'
  ]
  t.deepEqual(
    imports(isPure, isAmong([...io.map(name => `node:${name}`), 'tsyringe', 'fs-native-extensions'])),
    []
  )
  t.deepEqual(
    uses(
      isPure,
      /\bDate\.now\(|\bnew Date\(\)|\bperformance\.now\(|\bset(Timeout|Interval|Immediate)\(|\bMath\.random\(|\brandom(UUID|Bytes|Int)\(/
    ),
    []
  )
})

test('only the composition roots and the command line know which engine keeps the log', t => {
  t.deepEqual(
    imports(
      path => !mayKnowEngines(path),
      (target, ours) => ours && isEngine(target)
    ),
    []
  )
})

test('no file comes back to itself by what it imports, types included', t => {
  const byPath = new Map(sources.map(source => [source.path.replace(/\.ts$/, ''), source]))
  const onTheWay: string[] = []
  const done = new Set<string>()
  const circles: string[] = []
  const follow = (path: string): void => {
    if (onTheWay.includes(path)) circles.push([...onTheWay.slice(onTheWay.indexOf(path)), path].join(' -> '))
    if (done.has(path)) return
    done.add(path)
    onTheWay.push(path)
    for (const { target, ours } of byPath.get(path)?.imports ?? []) if (ours) follow(target)
    onTheWay.pop()
  }
  for (const path of byPath.keys()) follow(path)
  t.deepEqual(circles, [])
})

/** The rooms of http, and which others their files may look into. */
const MAY_KNOW: Readonly<Record<string, readonly string[]>> = {
  settings: ['hcl'],
  schemas: [],
  logging: ['settings'],
  program: ['logging', 'settings'],
  'other-servers': ['wire'],
  cluster: ['metrics', 'other-servers', 'program', 'routes', 'settings', 'wire'],
  datacenters: [
    'cluster',
    'dns',
    'metrics',
    'other-servers',
    'program',
    'routes',
    'schemas',
    'settings',
    'wire'
  ],
  replication: ['datacenters', 'metrics', 'program', 'settings', 'stream', 'wire'],
  audit: ['logging', 'program', 'settings'],
  hcl: [],
  pages: ['wire'],
  metrics: ['program', 'settings', 'stream', 'wire'],
  tracing: ['logging', 'program', 'settings', 'wire'],
  wire: ['audit', 'logging', 'metrics', 'openapi', 'pages', 'program', 'settings', 'tracing'],
  openapi: ['schemas', 'wire'],
  stream: ['metrics', 'program', 'schemas', 'settings', 'wire'],
  history: ['program', 'stream', 'wire'],
  // In browsers: of the server they know nothing but the client.
  ui: [],
  webhooks: ['metrics', 'program', 'settings', 'stream', 'tracing', 'wire'],
  routes: [
    'audit',
    'history',
    'logging',
    'metrics',
    'openapi',
    'program',
    'schemas',
    'settings',
    'stream',
    'webhooks',
    'wire'
  ],
  dns: ['metrics', 'program', 'routes', 'settings', 'wire'],
  'state-snapshot': ['metrics', 'program', 'settings'],
  workers: [
    'audit',
    'cluster',
    'datacenters',
    'dns',
    'logging',
    'metrics',
    'program',
    'replication',
    'settings',
    'stream',
    'tracing',
    'wire'
  ],
  // Of the routes, the form of archives, which a command reads too.
  cli: ['hcl', 'openapi', 'program', 'routes', 'settings', 'state-snapshot', 'wire', 'workers']
}
const roomOf = (path: string): string | undefined => /^http\/([^/.]+)\//.exec(path)?.[1]

test('the rooms of http keep to themselves', t => {
  for (const { path } of sources) t.true((roomOf(path) ?? 'cli') in MAY_KNOW, path)
  for (const [room, known] of Object.entries(MAY_KNOW))
    t.deepEqual(
      imports(within(`http/${room}`), target => ![room, undefined, ...known].includes(roomOf(target))),
      [],
      room
    )
})

test('only the command line, workers and the child of a server know how a server is put together', t => {
  const roots = ['server/compose', 'server/running-server', 'server/main']
  t.deepEqual(
    imports(
      path =>
        within('http')(path) &&
        path.split('/').length > 2 &&
        !within('clients/cli', 'server/snapshots', 'server/cluster/workers')(path),
      target => roots.includes(target)
    ),
    []
  )
})

test(`no source is longer than ${LONGEST.source} lines, and no test than ${LONGEST.test}`, t => {
  const longer = (list: readonly Source[], most: number): readonly string[] =>
    list.filter(({ lines }) => lines > most).map(({ path, lines }) => `${path}: ${lines}`)
  t.deepEqual([...longer(sources, LONGEST.source), ...longer(tests, LONGEST.test)], [])
})

test('the folders hold sources, and their imports are found', t => {
  t.true(sources.length > 10)
  t.true(aggregates.size > 20)
  t.true(imports(isOurs, (_target, ours) => ours).length > sources.length / 2)
})

/** What a built file of ours loads with it, further files and packages: not what it imports later, when it is needed. */
function loadedWith(file: string): ReadonlySet<string> {
  const loaded = new Set([file])
  const pattern = /^(?:import|export)\b[^'"(]*?['"]([^'"]+)['"]/gm
  for (const each of loaded) {
    if (!each.startsWith('dist/')) continue
    const code = readFileSync(join(projectRoot, each), 'utf8')
    for (const [, name = ''] of code.matchAll(pattern))
      loaded.add(name.startsWith('.') ? normalize(join(dirname(each), name)) : name)
  }
  return loaded
}

test('a server alone loads nothing of a cluster', t => {
  const alone = [...loadedWith('dist/server/commands/run-server.js')]
  t.true(alone.includes('dist/server/running-server.js'))
  const ofCluster = within('dist/server/cluster/members', 'dist/events/log/cluster', 'dist/events/log/etcd')
  t.deepEqual(
    alone.filter(each => ofCluster(each) || ETCD_CLIENT.includes(each)),
    []
  )
  const clustered = loadedWith('dist/server/cluster/members/clustered-server.js')
  t.true(clustered.has('protobufjs'))
})
