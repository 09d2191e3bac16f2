// Brings a fresh clone to the point where `npm start` and `npm test` can run: installs the packages of the lock file that are missing, then
// compiles what is newer than its build. `--start` leaves out what only tests and packages need, `--build` always compiles, and `--install` only
// installs.
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = dirname(fileURLToPath(import.meta.url))
const isStart = process.argv.includes('--start')
const program = ['clients', 'events', 'projections', 'actors', 'http', 'server', 'library']
const sources = isStart ? program : [...program, 'test']
const at = path => (existsSync(path) ? statSync(path).mtimeMs : 0)

/** Every file below `folder`, as [path, time of change in ms]. */
function* files(folder) {
  for (const entry of readdirSync(folder, { withFileTypes: true, recursive: true })) {
    if (!entry.isFile()) continue
    const path = join(entry.parentPath ?? entry.path, entry.name)
    yield [path, at(path)]
  }
}

/** Runs a command in the project's folder; ends this process with its status if it fails. */
const run = (command, ...args) => {
  const { status, error } = spawnSync(command, args, { cwd: root, stdio: ['ignore', 2, 2] })
  if (status !== 0) {
    console.error(error ? `${command}: ${error.message}` : `${command} ${args.join(' ')} failed`)
    process.exit(status ?? 1)
  }
}
/** Tells who waits what is done; on standard error, since a program may read what `npm start` prints. */
const say = what => console.error(`setup: ${what} …`)
const bin = name => join(root, 'node_modules', '.bin', name)

/** Makes the pages for people, where what they are made of has changed. */
function buildPages() {
  const folders = ['clients/ui', 'clients/typescript', 'clients/evidence', 'events/log/evidence']
  const madeOf = folders.flatMap(folder => [...files(join(root, folder))])
  const newest = Math.max(at(join(root, 'clients/audit-csv.ts')), ...madeOf.map(([, time]) => time))
  if (at(join(root, 'dist/pages/ui/index.html')) > newest) return
  say('builds the pages of /ui')
  if (!isStart) run(bin('tsc'), '--project', 'clients/ui')
  run(bin('vite'), 'build', '--config', 'clients/ui/vite.config.mjs', '--logLevel', 'warn')
}

/** True for a Node with WebSockets, which need 24.9. */
function isNewNode() {
  const [major, minor] = process.versions.node.split('.').map(Number)
  return major > 24 || (major === 24 && minor >= 9)
}

/** Installs the packages of the server and its build, and the workspaces that are needed, where the lock file or a workspace is new. */
function install() {
  const record = join(root, 'node_modules', '.installed')
  const lock = createHash('sha256')
    .update(readFileSync(join(root, 'package-lock.json')))
    .digest('hex')
  const [installedLock, ...installed] = existsSync(record) ? readFileSync(record, 'utf8').split(' ') : []
  const needed = [...(isNewNode() ? [] : ['runtime']), ...(isStart ? [] : ['generated-client', 'test/tools'])]
  if (lock === installedLock && needed.every(workspace => installed.includes(workspace))) return
  const workspaces = [...new Set([...installed, ...needed])]
  const selection =
    workspaces.length === 0
      ? ['--workspaces=false']
      : ['--include-workspace-root', ...workspaces.map(workspace => `--workspace=${workspace}`)]
  say('installs the packages, which takes about a minute')
  run('npm', 'install', '--no-save', ...selection, '--no-audit', '--no-fund', '--loglevel=error')
  writeFileSync(record, [lock, ...workspaces].join(' '))
}

install()
if (process.argv.includes('--install')) process.exit()
const stamp = join(root, 'dist', isStart ? '.built-start' : '.built')
const built = Math.max(at(stamp), at(join(root, 'dist', '.built')))
const all = sources.flatMap(folder => [...files(join(root, folder))])
const newest = Math.max(
  ...['tsconfig.json', 'tsconfig.api.json', 'deploy/program.mjs', 'deploy/api-types.mjs'].map(path =>
    at(join(root, path))
  ),
  ...all.map(([, time]) => time)
)
const isBuilt = built >= newest && existsSync(join(root, 'program/server/main.js'))
if (process.argv.includes('--build') || !isBuilt) {
  say('compiles')
  for (const [path] of all.filter(([file]) => file.endsWith('.peggy'))) {
    const out = join(root, 'dist', path.slice(root.length + 1).replace(/\.peggy$/, '.js'))
    if (at(out) > at(path)) continue
    mkdirSync(dirname(out), { recursive: true })
    run(bin('peggy'), '--format', 'es', '--output', out, path)
  }
  if (!isStart) {
    run(bin('tsc'), '--project', 'tsconfig.api.json')
    run(process.execPath, 'deploy/api-types.mjs')
  }
  run(bin('tsc'), '--project', isStart ? 'tsconfig.start.json' : '.')
  if (!isStart) run(bin('tsc'), '--project', 'clients/typescript/typed')
  // What was compiled from a file that is gone: a test of it would still be run.
  for (const folder of sources.filter(each => existsSync(join(root, 'dist', each))))
    for (const [path] of files(join(root, 'dist', folder))) {
      const source = path.slice(join(root, 'dist/').length).replace(/\.(js(\.map)?|d\.ts)$/, '')
      if (!['.ts', '.peggy', ''].some(ending => existsSync(join(root, source + ending)))) rmSync(path)
    }
  run(process.execPath, 'deploy/program.mjs')
  buildPages()
  writeFileSync(stamp, '')
}
