// The files of `npm run release`.
import { execFile } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import test from 'ava'
import { programVersion } from '../../events/version.js'
import { projectRoot, temporaryFolder } from '../support/process.js'

const run = promisify(execFile)
const version = programVersion()
const platform = `${process.platform}-${process.arch}`

interface BillOfMaterials {
  readonly metadata: { readonly component: { readonly name: string; readonly version: string } }
  readonly components: readonly { readonly 'bom-ref': string; readonly purl: string }[]
  readonly dependencies: readonly { readonly ref: string; readonly dependsOn: readonly string[] }[]
}

const release = temporaryFolder({ teardown: hook => test.after.always(hook) })

test.before('makes a release', async () => {
  await run(process.execPath, [join(projectRoot, 'deploy/release.mjs'), release])
})

const unpack = async (name: string, folder: string): Promise<string> => {
  await run('tar', ['-xzf', join(release, `${name}.tar.gz`), '-C', folder])
  return join(folder, name)
}

test('a release consists of packages, an SBOM, notes and their checksums', async t => {
  const files = [
    `annals-${version}.tgz`,
    `annals-${version}-${platform}.tar.gz`,
    `annals-${version}-image.tar.gz`,
    `annals-${version}.cdx.json`,
    'RELEASE_NOTES.md'
  ]
  t.deepEqual(readdirSync(release).toSorted(), [...files, 'SHA256SUMS'].toSorted())
  const { stdout } = await run('sha256sum', ['--check', '--strict', 'SHA256SUMS'], { cwd: release })
  t.deepEqual(stdout.trim().split('\n').toSorted(), files.map(file => `${file}: OK`).toSorted())
  const { stdout: packed } = await run('tar', ['-tzf', join(release, `annals-${version}.tgz`)])
  t.true(packed.split('\n').includes('package/program/server/main.js'))
})

test('the archive of this platform runs where it is unpacked', async t => {
  const folder = await unpack(`annals-${version}-${platform}`, temporaryFolder(t))
  // Compiled code belongs to the machine that made it.
  t.false(existsSync(join(folder, 'lib/program/.compile-cache')))
  const { stdout } = await run(join(folder, 'bin/annals'), ['version'], { env: { PATH: '/usr/bin:/bin' } })
  t.is(stdout, `annals ${version} (node ${process.version})\n`)
})

test('the SBOM lists the dependencies, the packages in the program and the pages, and Node', t => {
  const { metadata, components, dependencies }: BillOfMaterials = JSON.parse(
    readFileSync(join(release, `annals-${version}.cdx.json`), 'utf8')
  )
  t.like(metadata.component, { name: 'annals', version })
  const refs = components.map(each => each['bom-ref'])
  t.is(new Set(refs).size, refs.length)
  const names = new Set(refs.map(ref => ref.slice(0, ref.lastIndexOf('@'))))
  // A dependency, its dependency, an inlined package and its dependency, one of the pages, an optional peer of the bundle.
  for (const name of ['pino', 'sonic-boom', 'ws', 'oauth4webapi', 'preact', '@opentelemetry/core', 'node'])
    t.true(names.has(name), name)
  for (const name of ['typescript', 'vite', 'ava', '@types/node']) t.false(names.has(name), name)
  const licenses = readFileSync(join(projectRoot, 'program/LICENSES.txt'), 'utf8')
  const inlined = [...licenses.matchAll(/^(\S+@\d\S*) \(.*\)$/gm)].map(([, ref = '']) => ref)
  t.true(inlined.length > 50)
  t.deepEqual(
    inlined.filter(ref => !refs.includes(ref)),
    []
  )
  const known = new Set([...refs, `annals@${version}`])
  for (const { ref, dependsOn } of dependencies)
    for (const each of [ref, ...dependsOn]) t.true(known.has(each), each)
})

test('the image installs packages before its sources arrive, from files that the context has', async t => {
  const folder = await unpack(`annals-${version}-image`, temporaryFolder(t))
  const steps = readFileSync(join(folder, 'deploy/docker/Dockerfile'), 'utf8')
    .split('\n')
    .filter(line => /^(COPY (?!--)|RUN )/.test(line))
  t.deepEqual(steps.slice(0, 4), [
    'COPY package.json package-lock.json .npmrc setup.mjs ./',
    'RUN node setup.mjs --start --install',
    'COPY . .',
    'RUN npm run bundle -- /opt/annals && mkdir /data'
  ])
  const [layer = ''] = steps
  for (const file of layer.split(' ').slice(1, -1)) t.true(existsSync(join(folder, file)), file)
  for (const path of ['tsconfig.start.json', 'server/main.ts', 'clients/ui', 'deploy/bundle.mjs', 'LICENSE'])
    t.true(existsSync(join(folder, path)), path)
  for (const path of ['.git', 'bench', 'dist', 'node_modules', 'program', 'test'])
    t.false(existsSync(join(folder, path)), path)
})

test('the release notes are the section of the version in the change log', t => {
  const notes = readFileSync(join(release, 'RELEASE_NOTES.md'), 'utf8')
  const [heading = '', ...lines] = notes.split('\n')
  const date = /^# Annals (\S+) \((\d{4}-\d\d-\d\d)\)$/.exec(heading)
  t.is(date?.[1], version)
  const log = readFileSync(join(projectRoot, 'CHANGELOG.md'), 'utf8')
  t.true(log.includes(`## ${version} - ${date?.[2]}\n${lines.join('\n').trimEnd()}`))
  t.false(/^## /m.test(notes))
  t.regex(notes, /^- /m)
})

test('a version without a section in the change log is not released', async t => {
  const folder = temporaryFolder(t)
  mkdirSync(join(folder, 'deploy'))
  cpSync(join(projectRoot, 'deploy/release.mjs'), join(folder, 'deploy/release.mjs'))
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ version: '9.9.9', type: 'module' }))
  writeFileSync(join(folder, 'CHANGELOG.md'), '# Changelog\n\n## Unreleased\n\n## 9.9.9\n\n- One.\n')
  const refused = await t.throwsAsync(run(process.execPath, [join(folder, 'deploy/release.mjs')]))
  t.regex(refused?.message ?? '', /CHANGELOG\.md has no section "## 9\.9\.9 - YYYY-MM-DD"/)
  t.false(existsSync(join(folder, 'dist')))
})

test('a folder with files of others is left as it is', async t => {
  const folder = temporaryFolder(t)
  writeFileSync(join(folder, 'mine'), '')
  const refused = await t.throwsAsync(
    run(process.execPath, [join(projectRoot, 'deploy/release.mjs'), folder])
  )
  t.true(refused?.message.includes(`${folder} is not empty`))
  t.deepEqual(readdirSync(folder), ['mine'])
})
