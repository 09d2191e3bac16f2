// Makes a folder that runs Annals where there is neither npm nor Node: `bin/annals`, and below `lib` the Node that runs this, the program
// as npm packs it, and the packages that it needs. `npm run bundle -- FOLDER` says where; `dist/bundle/annals` otherwise.
import { execFileSync } from 'node:child_process'
import { chmodSync, cpSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join, relative, resolve } from 'node:path'

const root = resolve(import.meta.dirname, '..')
const folder = resolve(process.argv[2] ?? join(root, 'dist/bundle/annals'))
const lib = join(folder, 'lib')

const npm = (...parameters) =>
  execFileSync('npm', [...parameters, '--loglevel=error'], {
    cwd: root,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 2]
  })

/** What of a package is for compilers and readers alone. */
const runs = path =>
  !/\.(map|[cm]?ts|md|markdown)$/.test(path) && !/\/(test|tests|example|examples|\.github)$/.test(path)

const LAUNCHER = `#!/bin/sh
# Runs Annals with the Node that lies beside it.
lib=$(dirname "$(readlink -f "$0")")/../lib
exec "$lib/node" "$lib/program/server/main.js" "$@"
`

rmSync(folder, { recursive: true, force: true })
mkdirSync(join(folder, 'bin'), { recursive: true })
const [{ files }] = JSON.parse(npm('pack', '--dry-run', '--json', '--ignore-scripts'))
for (const { path } of files)
  if (runs(path) || path.endsWith('.md')) cpSync(join(root, path), join(lib, path))
const packages = npm('ls', '--all', '--omit=dev', '--parseable', '--workspaces=false')
  .trim()
  .split('\n')
  .slice(1)
for (const path of packages.filter(each => !each.includes('/@types/')))
  cpSync(path, join(lib, relative(root, path)), {
    recursive: true,
    // Packages inside it are in the list themselves.
    filter: from => from === path || (runs(from) && !from.startsWith(join(path, 'node_modules')))
  })
cpSync(process.execPath, join(lib, 'node'))
cpSync(join(root, 'LICENSE'), join(folder, 'LICENSE'))
const launcher = join(folder, 'bin/annals')
writeFileSync(launcher, LAUNCHER)
chmodSync(launcher, 0o755)
console.log(`${launcher}: ${execFileSync(launcher, ['version'], { encoding: 'utf8' }).trim()}`)
