// Makes the data folder of this release, which all later ones must open: `node dist/test/releases/record.js`, once for each release.
import 'reflect-metadata'
import { cpSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { programVersion } from '../../events/version.js'
import { projectRoot, temporaryFolder } from '../support/process.js'
import { readFixtures, RELEASE_KEY, writeFixtures } from '../support/release-fixtures.js'
import { serverInProcess } from '../support/server.js'

const releases: (() => void | Promise<void>)[] = []
const scope = { teardown: (release: () => void | Promise<void>) => void releases.unshift(release) }
const dataDir = join(temporaryFolder(scope), 'made')
const server = await serverInProcess(scope, { dataDir, config: { encryption: { key: RELEASE_KEY } } })
await writeFixtures(server)
const responses = await readFixtures(server)
await server.close()

const folder = join(projectRoot, 'test/releases', programVersion())
rmSync(folder, { recursive: true, force: true })
mkdirSync(folder, { recursive: true })
writeFileSync(join(folder, 'answers.json'), `${JSON.stringify(responses, null, 2)}\n`)
cpSync(dataDir, join(folder, 'folder'), { recursive: true })
// Room for what is to come holds nothing, and is large.
for (const name of readdirSync(join(folder, 'folder/log')))
  if (/^(reserve|next-.*)$/.test(name)) rmSync(join(folder, 'folder/log', name))
for (const release of releases) await release()
