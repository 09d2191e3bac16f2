// Runs `npm test`, or with the argument `integration` the tests that need further programs. The last lines name what was skipped, and why.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, statfsSync, writeFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { freemem, tmpdir } from 'node:os'
import { join } from 'node:path'
import { INTEGRATION, integrationFiles } from './support/groups.js'
import { projectRoot } from './support/process.js'
import { SKIPPED_FILE } from './support/programs.js'
import { ALL_RUNS } from './support/property-runs.js'

/** A file system in memory, where no test waits for a disk, and the room that it must have. */
const MEMORY = '/dev/shm'
const ROOM_BYTES = 4 * 2 ** 30

const hasRoom = (): boolean => {
  if (!existsSync(MEMORY)) return false
  const { bavail, bsize } = statfsSync(MEMORY)
  return Math.min(bavail * bsize, freemem()) >= ROOM_BYTES
}

const isIntegration = process.argv[2] === 'integration'
/** The temporary files of all tests. */
const folder = mkdtempSync(join(!isIntegration && hasRoom() ? MEMORY : tmpdir(), 'annals-tests-'))
const skipped = join(folder, 'reasons')
writeFileSync(skipped, '')

const ava = spawn(
  process.execPath,
  [
    join(projectRoot, 'node_modules/ava/entrypoints/cli.js'),
    ...(isIntegration ? integrationFiles() : ['--config', 'ava.groups.config.js'])
  ],
  {
    cwd: projectRoot,
    stdio: 'inherit',
    env: {
      ...process.env,
      TMPDIR: folder,
      [SKIPPED_FILE]: skipped,
      // More threads of the compiler and the collector would compete with those of the groups.
      NODE_OPTIONS: `${process.env['NODE_OPTIONS'] ?? ''} --v8-pool-size=1`,
      ...(isIntegration ? { [ALL_RUNS]: 'true' } : {})
    }
  }
)
const [code]: readonly unknown[] = await once(ava, 'exit')

const counts = new Map<string, number>()
for (const reason of readFileSync(skipped, 'utf8').split('\n').slice(0, -1))
  counts.set(reason, (counts.get(reason) ?? 0) + 1)
// A file system that is still mounted there fails no test.
await rm(folder, { recursive: true, maxRetries: 10, retryDelay: 50 }).catch(error =>
  console.log(`  ${error}`)
)
for (const [reason, count] of counts) console.log(`  skipped ${count}: ${reason}`)
if (!isIntegration) {
  const needs = [...new Set(Object.values(INTEGRATION))].join(', ')
  console.log(`  not run: test:integration, which needs ${needs}`)
}
console.log('  not run: test:crash, test:cluster and test:datacenters, which take hours')
process.exitCode = code === 0 ? 0 : 1
