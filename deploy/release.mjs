// Makes the files of a release of the version in package.json: the npm package, the bundle of this platform, the build context of the image,
// the bill of materials, the release notes and the checksums. `npm run release -- FOLDER` says where; `dist/release/VERSION` otherwise.
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'

const root = resolve(import.meta.dirname, '..')
const textOf = path => readFileSync(join(root, path), 'utf8')
const { version } = JSON.parse(textOf('package.json'))
const folder = resolve(process.argv[2] ?? join(root, 'dist/release', version))
const bundle = `annals-${version}-${process.platform}-${process.arch}`
const image = `annals-${version}-image`

const run = (command, ...parameters) =>
  execFileSync(command, parameters, {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: Infinity,
    stdio: ['ignore', 'pipe', 2]
  })

/** Returns the release notes: the section of the version in the change log. @throws Error without a section that has a date */
function releaseNotes() {
  const sections = textOf('CHANGELOG.md').split(/^## /m)
  const heading = /^\S+ - (\d{4}-\d\d-\d\d)\n/
  const section = sections.find(each => each.startsWith(`${version} - `) && heading.test(each))
  if (section === undefined) throw new Error(`CHANGELOG.md has no section "## ${version} - YYYY-MM-DD"`)
  if (sections.some(each => /^Unreleased\n[^]*^- /m.test(each)))
    console.error(`CHANGELOG.md lists unreleased changes: these sources are newer than ${version}`)
  return section.replace(heading, `# Annals ${version} ($1)\n`)
}

/** Writes a folder of `scratch` as an archive that depends on the commit and the contents alone. */
function archive(scratch, name) {
  const file = join(folder, `${name}.tar.gz`)
  const time = run('git', 'log', '-1', '--format=%ct').trim()
  const owner = ['--owner=0', '--group=0', '--numeric-owner']
  run('tar', '-czf', file, '-C', scratch, '--sort=name', `--mtime=@${time}`, ...owner, name)
}

/** Copies the files of the image's context: those that git tracks, so that no key or data of this machine is published. */
function copyContext(target) {
  const ignored = textOf('deploy/docker/Dockerfile.dockerignore').trim().split('\n')
  const paths = run('git', 'ls-files', '-z', '--', '.', ...ignored.map(path => `:(exclude,glob)${path}/**`))
  for (const path of paths.split('\0').filter(each => each !== ''))
    cpSync(join(root, path), join(target, path), { verbatimSymlinks: true })
}

/** Returns the `name@version` of the packages that files of the release contain: inlined by a bundler, or copied. */
function containedPackages(lib) {
  const refOf = each => `${each.name}@${each.version}`
  // `deploy/program.mjs` writes a line of hyphens between packages, and Vite an array.
  const program = textOf('program/LICENSES.txt').matchAll(/(?:^|\n-{80}\n\n)(\S+) \(/g)
  const copied = readdirSync(join(lib, 'node_modules'), { recursive: true, encoding: 'utf8' })
    .filter(path => /^(?:@[^/]+\/)?[^/@]+\/package\.json$/.test(path.split('node_modules/').at(-1)))
    .map(path => JSON.parse(readFileSync(join(lib, 'node_modules', path), 'utf8')))
  return new Set([
    ...Array.from(program, ([, ref]) => ref),
    ...JSON.parse(textOf('dist/pages/ui/licenses.json')).map(refOf),
    ...copied.map(refOf)
  ])
}

const DEVELOPMENT = 'cdx:npm:package:development'
const isDevelopment = ({ properties = [] }) => properties.some(({ name }) => name === DEVELOPMENT)

/**
 * Returns the bill of materials of npm for the packages that users install or that the release contains, and the Node of the bundle.
 * It is of the lock file, since a newer Node needs no `runtime`, whose absence from node_modules npm refuses.
 */
function billOfMaterials(contained) {
  const bom = JSON.parse(
    run(
      'npm',
      'sbom',
      '--sbom-format=cyclonedx',
      '--sbom-type=application',
      '--workspaces=false',
      '--package-lock-only'
    )
  )
  const { component } = bom.metadata
  const shipped = bom.components.filter(each => !isDevelopment(each) || contained.has(each['bom-ref']))
  const refs = new Set([component, ...shipped].map(each => each['bom-ref']))
  for (const ref of contained)
    if (!refs.has(ref)) throw new Error(`${ref} is in the release, but npm does not list it`)
  const node = {
    'bom-ref': `node@${process.versions.node}`,
    type: 'application',
    name: 'node',
    version: process.versions.node,
    purl: `pkg:generic/node@${process.versions.node}`
  }
  return {
    ...bom,
    // npm names a package without a registry after its folder.
    metadata: { ...bom.metadata, component: { ...component, name: 'annals' } },
    components: [
      ...shipped.map(each => ({
        ...each,
        properties: each.properties.filter(({ name }) => name !== DEVELOPMENT)
      })),
      node
    ],
    dependencies: bom.dependencies
      .filter(({ ref }) => refs.has(ref))
      .map(({ ref, dependsOn }) => ({ ref, dependsOn: dependsOn.filter(each => refs.has(each)) }))
  }
}

const notes = releaseNotes()
if (process.argv[2] === undefined) rmSync(folder, { recursive: true, force: true })
mkdirSync(folder, { recursive: true })
if (readdirSync(folder).length > 0) throw new Error(`${folder} is not empty`)
const scratch = mkdtempSync(join(tmpdir(), 'annals-release-'))
try {
  run('npm', 'pack', '--ignore-scripts', '--loglevel=error', `--pack-destination=${folder}`)
  run(process.execPath, 'deploy/bundle.mjs', join(scratch, bundle))
  archive(scratch, bundle)
  copyContext(join(scratch, image))
  archive(scratch, image)
  const bom = billOfMaterials(containedPackages(join(scratch, bundle, 'lib')))
  writeFileSync(join(folder, `annals-${version}.cdx.json`), `${JSON.stringify(bom, null, 2)}\n`)
  writeFileSync(join(folder, 'RELEASE_NOTES.md'), notes)
} finally {
  rmSync(scratch, { recursive: true })
}
const sumOf = file =>
  createHash('sha256')
    .update(readFileSync(join(folder, file)))
    .digest('hex')
const files = readdirSync(folder)
writeFileSync(join(folder, 'SHA256SUMS'), files.map(file => `${sumOf(file)}  ${file}\n`).join(''))
for (const file of [...files, 'SHA256SUMS']) console.log(join(folder, file))
