// Runs `npm test`, or with the argument `integration` the tests that need further programs. The last lines name what was skipped, and why.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { INTEGRATION, integrationFiles } from './support/groups.js'
import { projectRoot } from './support/process.js'
import { SKIPPED_FILE } from './support/programs.js'

const isIntegration = process.argv[2] === 'integration'
const folder = mkdtempSync(join(tmpdir(), 'annals-skipped-'))
const skipped = join(folder, 'reasons')
writeFileSync(skipped, '')

const ava = spawn(
  process.execPath,
  [
    join(projectRoot, 'node_modules/ava/entrypoints/cli.js'),
    ...(isIntegration ? integrationFiles() : ['--config', 'ava.groups.config.js'])
  ],
  { cwd: projectRoot, stdio: 'inherit', env: { ...process.env, [SKIPPED_FILE]: skipped } }
)
const [code]: readonly unknown[] = await once(ava, 'exit')

const counts = new Map<string, number>()
for (const reason of readFileSync(skipped, 'utf8').split('\n').slice(0, -1))
  counts.set(reason, (counts.get(reason) ?? 0) + 1)
rmSync(folder, { recursive: true })
for (const [reason, count] of counts) console.log(`  skipped ${count}: ${reason}`)
if (!isIntegration) {
  const needs = [...new Set(Object.values(INTEGRATION))].join(', ')
  console.log(`  not run: test:integration, which needs ${needs}`)
}
console.log('  not run: test:crash, test:cluster and test:datacenters, which take hours')
process.exitCode = code === 0 ? 0 : 1
