// Makes a folder that runs Annals where there is neither npm nor Node: `bin/annals`, and below `lib` the Node that runs this, the program,
// and the packages that it does not contain. `npm run bundle -- FOLDER` says where; `dist/bundle/annals` otherwise.
import { execFileSync } from 'node:child_process'
import { chmodSync, cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join, relative, resolve } from 'node:path'

const root = resolve(import.meta.dirname, '..')
const folder = resolve(process.argv[2] ?? join(root, 'dist/bundle/annals'))
const lib = join(folder, 'lib')

/** What of a package is for compilers and readers alone. */
const runs = path =>
  !/\.(map|[cm]?ts|md|markdown)$/.test(path) && !/\/(test|tests|example|examples|\.github)$/.test(path)

const SHIPPED_PAGES = /^docs\/((tutorials|how-to|reference|explanation)(\/[^/]+\.md)?|[^/]+\.md)$/

/** Compiled code of this machine stays out, and of the documentation all but the pages. */
const isShipped = path =>
  path !== 'program/.compile-cache' && (!path.startsWith('docs/') || SHIPPED_PAGES.test(path))

const LAUNCHER = `#!/bin/sh
# Runs Annals with the Node that lies beside it.
lib=$(dirname "$(readlink -f "$0")")/../lib
exec "$lib/node" "$lib/program/server/main.js" "$@"
`

rmSync(folder, { recursive: true, force: true })
mkdirSync(join(folder, 'bin'), { recursive: true })
for (const path of ['program', 'dist/pages', 'docs', 'package.json', 'README.md', 'CHANGELOG.md'])
  if (existsSync(join(root, path)))
    cpSync(join(root, path), join(lib, path), {
      recursive: true,
      filter: from => isShipped(relative(root, from))
    })

/** Copies a package that the program does not contain, and the packages that it needs. */
const copyPackage = (name, from) => {
  const [found] = createRequire(join(from, 'package.json'))
    .resolve.paths(name)
    .map(path => join(path, name))
    .filter(existsSync)
  // Binaries of other platforms are not installed.
  if (found === undefined || existsSync(join(lib, relative(root, found)))) return
  cpSync(found, join(lib, relative(root, found)), {
    recursive: true,
    filter: path => path === found || (runs(path) && path !== join(found, 'node_modules'))
  })
  const { dependencies, optionalDependencies } = JSON.parse(readFileSync(join(found, 'package.json'), 'utf8'))
  for (const needed of Object.keys({ ...dependencies, ...optionalDependencies })) copyPackage(needed, found)
}
const { peerDependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
for (const name of ['fs-native-extensions', ...Object.keys(peerDependencies)]) copyPackage(name, root)
cpSync(process.execPath, join(lib, 'node'))
cpSync(join(root, 'LICENSE'), join(folder, 'LICENSE'))
const launcher = join(folder, 'bin/annals')
writeFileSync(launcher, LAUNCHER)
chmodSync(launcher, 0o755)
const env = { ...process.env, NODE_DISABLE_COMPILE_CACHE: '1' }
console.log(`${launcher}: ${execFileSync(launcher, ['version'], { encoding: 'utf8', env }).trim()}`)
