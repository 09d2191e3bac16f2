// The data folders of all earlier releases can be opened, and give the same responses.
import { cpSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'ava'
import { annals } from '../support/command-line.js'
import { projectRoot, temporaryFolder } from '../support/process.js'
import { readFixtures, RELEASE_KEY, RELEASE_SECRET } from '../support/release-fixtures.js'
import { serverInProcess } from '../support/server.js'

const all = join(projectRoot, 'test/releases')
const releases = readdirSync(all, { withFileTypes: true }).filter(entry => entry.isDirectory())

test('there is a data folder of the first release', t => {
  t.true(releases.some(({ name }) => name === '0.1.0'))
})

for (const { name } of releases)
  test(`the data folder of ${name} is opened, proved, read and written`, async t => {
    const dataDir = join(temporaryFolder(t), 'data')
    cpSync(join(all, name, 'folder'), dataDir, { recursive: true })
    const env = { ANNALS_DATA_DIR: dataDir, ANNALS_ENCRYPTION_KEY: RELEASE_KEY }
    const verified = await annals(['log', 'verify', '--replay'], env)
    t.is(verified.code, 0, verified.errors)

    const config = { encryption: { key: RELEASE_KEY } }
    const server = await serverInProcess(t, { dataDir, config })
    const responses: unknown = JSON.parse(readFileSync(join(all, name, 'answers.json'), 'utf8'))
    t.deepEqual(await readFixtures(server), responses)
    // Its secret came out of the folder, encrypted.
    const own = { token: RELEASE_SECRET, body: 'new' }
    t.is((await server.send('PUT', '/v1/kv/app/new', own)).status, 200)
    await server.close()

    const again = await serverInProcess(t, { dataDir, config })
    t.is((await again.send('GET', '/v1/kv/app/new?raw')).text, 'new')
  })
