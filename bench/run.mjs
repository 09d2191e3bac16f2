// Runs the scenarios named on the command line, or all, and prints their figures. See bench/README.md.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { nameOf, startBeside } from './beside.mjs'
import { compareWithBare } from './compare.mjs'
import { Helper } from './helper.mjs'
import { usePinnedNode } from './pinned.mjs'
import { startBenched } from './server.mjs'

usePinnedNode()

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    rounds: { type: 'string', default: '5' },
    seconds: { type: 'string', default: '2' },
    connections: { type: 'string', default: '1,64' },
    tokens: { type: 'string', default: '200000' },
    report: { type: 'boolean', default: false },
    beside: { type: 'string' }
  }
})

const folder = join(import.meta.dirname, 'scenarios')
const files = readdirSync(folder).filter(file => file.endsWith('.mjs'))
const all = await Promise.all(
  files.map(async file => {
    const path = join(folder, file)
    const { scenario } = await import(path)
    return { ...scenario, path }
  })
)
const unknown = positionals.filter(name => !all.some(one => one.name === name))
if (unknown.length > 0) {
  console.error(`no scenario ${unknown.join(', ')}; there are ${all.map(one => one.name).join(', ')}`)
  process.exit(2)
}
const named = all.filter(one => positionals.length === 0 || positionals.includes(one.name))
const isComparison = one => one.measure === undefined
const chosen = [...named.filter(isComparison), ...named.filter(one => !isComparison(one))]

const { beside } = values
const report = values.report && (await startReport())

/** What is needed for a report is loaded only for one. */
async function startReport() {
  const { Report } = await import('./report/report.mjs')
  return new Report({
    command: ['npm run bench --', ...process.argv.slice(2)].join(' '),
    beside: beside && nameOf(beside)
  })
}

/** The input of scenarios; `scope` ends with the scenario. */
const toolsFor = scope => ({
  scope,
  rounds: Number(values.rounds),
  seconds: Number(values.seconds),
  connections: values.connections.split(',').map(Number),
  tokens: Number(values.tokens),
  client: new Helper(scope, 'client.mjs'),
  bare: new Helper(scope, 'bare.mjs'),
  start: options => startBenched(scope, options),
  ...(report && { report }),
  ...(beside && { startBeside: () => startBeside(scope, beside) })
})

console.log(
  `Node ${process.version}; medians of ${values.rounds} rounds of ${values.seconds} s, alternating\n`
)
for (const scenario of chosen) {
  const releases = []
  const tools = toolsFor({ teardown: release => releases.unshift(release) })
  try {
    const measure = scenario.measure ?? (given => compareWithBare(given, scenario))
    const lines = []
    for await (const line of measure(tools)) {
      console.log(line)
      lines.push(line)
    }
    if (report && !isComparison(scenario)) report.lines(scenario.name, lines)
  } finally {
    for (const release of releases) await release()
  }
}
if (report) {
  const root = join(import.meta.dirname, '..')
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  console.log(`\nwritten: ${await report.write(join(root, 'docs'), version)}`)
}
