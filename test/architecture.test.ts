// Reads the sources and fails on an import in a wrong direction, on a clock or I/O in pure code, and on a long file.
import test from 'ava'
import { imports, isOurs, sources, uses, within } from './support/imports.js'
import { sourcesIn, type Source } from './support/sources.js'

const LONGEST = { source: 400, test: 400 }

const tests = sourcesIn('test')

const aggregates = new Set(sources.filter(({ isAggregate }) => isAggregate).map(({ path }) => path))
const isPure = (path: string): boolean =>
  within('projections/acl', 'projections/chain', 'projections/language')(path) || aggregates.has(path)
const isEngine = (target: string): boolean =>
  target.startsWith('events/log/') &&
  ![
    'events/log/follow',
    'events/log/log',
    'events/log/lookups',
    'events/log/provable-log',
    'events/log/report',
    'events/log/record',
    'events/log/cluster/log-follower',
    'events/log/cluster/cluster-link',
    'events/log/cluster/record-stream',
    'events/log/cluster/shared-log'
  ].includes(target) &&
  !within('events/log/snapshots', 'events/log/tree', 'events/log/evidence')(target)

const mayKnowEngines = (path: string): boolean =>
  [
    'server/cluster/members/clustered-log.ts',
    'server/compose.ts',
    'server/erased-parts.ts',
    'server/open-log.ts',
    'http/routes/snapshot/verification.ts',
    'http/stream/catch-up/thread-program.ts'
  ].includes(path) ||
  within(
    'server/cluster/etcd',
    'server/commands',
    'server/cluster/workers',
    'server/publication',
    'server/replica',
    'events/log',
    'library'
  )(path)

/** What calls of etcd are made with. */
const ETCD_CLIENT: readonly string[] = ['long', 'node:http2', 'protobufjs']

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

test('only the engines of the log use a store, and events no other package than a cache and schemas', t => {
  t.deepEqual(
    imports(within('events'), (target, ours) => {
      const isPackage = !ours && !target.startsWith('node:')
      return (
        isPackage &&
        ![...ETCD_CLIENT, 'eventemitter3', 'fs-native-extensions', 'lru-cache', 'typebox'].includes(target)
      )
    }),
    []
  )
  t.deepEqual(
    imports(path => within('events')(path) && !within('events/definition/forms')(path), isAmong(['typebox'])),
    []
  )
  t.deepEqual(
    imports(
      path => within('events')(path) && !within('events/log/etcd')(path) && path !== 'events/grpc.ts',
      isAmong(ETCD_CLIENT)
    ),
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

/** The floors of the server, lowest first; a file imports from its own floor and those below it. */
const FLOORS: readonly string[] = [
  'events/',
  'projections/',
  'actors/',
  'server/settings/',
  'server/telemetry/',
  'http/',
  'server/',
  'library/'
]
const floorOf = (path: string): number =>
  FLOORS.findIndex(
    floor =>
      path.startsWith(floor) && (floor !== 'server/' || !within('server/settings', 'server/telemetry')(path))
  )

test('a file imports nothing from a higher floor', t => {
  t.deepEqual(
    sources
      .filter(({ path }) => floorOf(path) >= 0)
      .flatMap(({ path, imports: all }) =>
        all
          .filter(({ target, ours }) => ours && floorOf(target) > floorOf(path))
          .map(({ target }) => `${path} -> ${target}`)
      ),
    []
  )
})

test('only http and the programs use a router, WebSockets and a command-line parser', t => {
  t.deepEqual(
    imports(
      path => !within('http', 'server', 'clients/cli')(path),
      isAmong(['find-my-way', 'ws', 'commander'])
    ),
    []
  )
})

test('nothing below imports the library', t => {
  t.deepEqual(
    imports(path => !within('library')(path), within('library')),
    []
  )
})

test('annals/client imports no server code and no Node.js module, because it also runs in browsers', t => {
  const isClient = within('clients/typescript')
  t.deepEqual(
    imports(isClient, (target, ours) =>
      ours ? !within('clients/typescript', 'api')(target) : !['openapi-fetch'].includes(target)
    ),
    []
  )
  // Looks for Node.js when it is called, and reports its absence.
  const isForBrowsers = (path: string): boolean =>
    isClient(path) && !path.startsWith('clients/typescript/wires/socket-fetch')
  t.deepEqual(uses(isForBrowsers, /\b(process|Buffer|setImmediate|__dirname)\b/), [])
})

/** Pure modules whose values the clients share with the server: resource definitions, parsers, and the verification of evidence. */
const SHARED_WITH_CLIENTS: readonly string[] = [
  'actors/uuid',
  'events/auth-method',
  'events/binding-rule',
  'events/duration',
  'events/erasure',
  'events/errors',
  'events/log/evidence/note-text',
  'events/log/evidence/open-leaf',
  'events/log/evidence/platform',
  'events/log/evidence/proofs',
  'events/namespace',
  'events/policy',
  'events/policy-proposal',
  'events/role',
  'events/sorted-search',
  'events/time',
  'events/token',
  'events/values',
  'events/version',
  'projections/acl/rule-decisions',
  'http/routes/snapshot/format',
  'http/routes/snapshot/signer',
  'http/routes/snapshot/tar',
  'server/settings/client-variables',
  'server/settings/hcl/read-hcl',
  'actors/change-set/change-kind-names',
  'events/config-entry'
]

test('clients import only types of the server, and a few pure modules', t => {
  t.deepEqual(
    sources
      .filter(({ path }) => within('clients')(path))
      .flatMap(({ path, imports: all }) =>
        all
          .filter(({ ours, isType }) => ours && !isType)
          .filter(({ target }) => !within('clients', 'api')(target) && !SHARED_WITH_CLIENTS.includes(target))
          .map(({ target }) => `${path} -> ${target}`)
      ),
    []
  )
})

test('only the program joins the server with the command-line client', t => {
  t.deepEqual(
    imports(path => !within('clients', 'server/commands')(path), within('clients')),
    []
  )
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
  const byPath = new Map(sources.map(source => [source.path.replace(/\.tsx?$/, ''), source]))
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

test('no chain of value imports is longer than 20 files', t => {
  const byPath = new Map(sources.map(source => [source.path.replace(/\.tsx?$/, ''), source]))
  const lengths = new Map<string, number>()
  const lengthFrom = (path: string): number => {
    const known = lengths.get(path)
    if (known !== undefined) return known
    const below = (byPath.get(path)?.imports ?? [])
      .filter(({ target, ours, isType, isDynamic }) => ours && !isType && !isDynamic && byPath.has(target))
      .map(({ target }) => lengthFrom(target))
    const length = 1 + Math.max(0, ...below)
    lengths.set(path, length)
    return length
  }
  const longest = Math.max(...Array.from(byPath.keys(), lengthFrom))
  t.true(longest > 10)
  t.true(longest <= 20, String(longest))
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
