// Brings a fresh clone to the point where `npm start` and `npm test` can run: installs the packages when the
// lock file is newer than what is installed, then compiles what is newer than its build. `--build` always compiles.
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = dirname(fileURLToPath(import.meta.url))
const sources = ['clients', 'events', 'projections', 'actors', 'http', 'server', 'library', 'test']
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
/** Of the workspace that has the TypeScript it needs. */
const generator = join(root, 'generated-client/node_modules/openapi-typescript/bin/cli.js')

/** Makes the types of `annals/client` of the description of the API, where that has changed, and compiles what needs them. */
function buildTypedClient() {
  const description = join(root, 'dist/api/openapi.json')
  const types = join(root, 'dist/api/paths.d.ts')
  const { stdout, status } = spawnSync(process.execPath, [join(root, 'program/server/main.js'), 'openapi'], {
    stdio: ['ignore', 'pipe', 2],
    maxBuffer: Infinity
  })
  if (status !== 0) process.exit(1)
  mkdirSync(dirname(description), { recursive: true })
  if (!existsSync(types) || !existsSync(description) || !readFileSync(description).equals(stdout)) {
    say('makes the types of the client')
    writeFileSync(description, stdout)
    run(process.execPath, generator, description, '--output', types)
  }
  run(bin('tsc'), '--project', 'clients/typescript/typed')
}

/** Makes the pages for people, where what they are made of has changed. */
function buildPages() {
  const madeOf = ['clients/ui', 'clients/typescript'].flatMap(folder => [...files(join(root, folder))])
  const newest = Math.max(...madeOf.map(([, time]) => time))
  if (at(join(root, 'dist/pages/ui/index.html')) > newest) return
  say('builds the pages of /ui')
  run(bin('tsc'), '--project', 'clients/ui')
  run(bin('vite'), 'build', '--config', 'clients/ui/vite.config.mjs', '--logLevel', 'warn')
}

if (at(join(root, 'node_modules', '.package-lock.json')) < at(join(root, 'package-lock.json'))) {
  say('installs the packages, which takes about a minute')
  run('npm', 'install', '--no-audit', '--no-fund', '--loglevel=error')
}

const built = at(join(root, 'dist', '.built'))
const all = sources.flatMap(folder => [...files(join(root, folder))])
const newest = Math.max(at(join(root, 'tsconfig.json')), ...all.map(([, time]) => time))
if (process.argv.includes('--build') || built < newest) {
  say('compiles')
  run(bin('tsc'))
  // What was compiled from a file that is gone: a test of it would still be run.
  for (const folder of sources.filter(each => existsSync(join(root, 'dist', each))))
    for (const [path] of files(join(root, 'dist', folder))) {
      const source = path.slice(join(root, 'dist/').length).replace(/\.(js(\.map)?|d\.ts)$/, '')
      if (!['.ts', '.peggy', ''].some(ending => existsSync(join(root, source + ending)))) rmSync(path)
    }
  for (const [path] of all.filter(([file]) => file.endsWith('.peggy'))) {
    const out = join(root, 'dist', path.slice(root.length + 1).replace(/\.peggy$/, '.js'))
    mkdirSync(dirname(out), { recursive: true })
    run(bin('peggy'), '--format', 'es', '--output', out, path)
  }
  run(process.execPath, 'deploy/program.mjs')
  buildTypedClient()
  buildPages()
  writeFileSync(join(root, 'dist', '.built'), '')
}
