// The page of the benchmarks and its pictures, made of figures.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import test from 'ava'
import { projectRoot, temporaryFolder } from '../support/process.js'

interface Figure {
  readonly scenario: string
  readonly connections: number
  readonly server: 'Annals' | 'bare' | 'other'
  readonly rate: number
  readonly p50: number
  readonly p99: number
  readonly ratio?: number
}

interface Report {
  figure(figure: Figure): void
  lines(scenario: string, lines: readonly string[]): void
  write(docs: string, version: string): Promise<string>
}

interface ReportModule {
  readonly Report: new (options: { readonly command: string; readonly beside?: string }) => Report
}

const load = async (): Promise<ReportModule> => {
  const module: ReportModule = await import(pathToFileURL(join(projectRoot, 'bench/report/report.mjs')).href)
  return module
}

const picturesOf = (page: string): readonly string[] =>
  [...page.matchAll(/!\[[^\]]+\]\(\.\/(benchmarks\/[^)]+)\)/g)].map(([, file = '']) => file)

test('a report has a row for each scenario, the pictures, and on what it was taken', async t => {
  const { Report } = await load()
  const report = new Report({ command: 'npm run bench -- --report', beside: 'Other v1.2' })
  const times = { p50: 0.051, p99: 12.3 }
  for (const connections of [1, 64]) {
    report.figure({ scenario: 'kv-get', connections, server: 'Annals', rate: 18_000, ratio: 0.9, ...times })
    report.figure({ scenario: 'kv-get', connections, server: 'bare', rate: 20_000, ...times })
    report.figure({ scenario: 'kv-get', connections, server: 'other', rate: 5000, ...times })
  }
  // The other server has not this one.
  report.figure({ scenario: 'chain', connections: 64, server: 'Annals', rate: 900, ratio: 0.5, ...times })
  report.figure({ scenario: 'chain', connections: 64, server: 'bare', rate: 1800, ...times })
  report.lines('memory', ['memory  2,000 tokens created'])
  const docs = temporaryFolder(t)
  const page = readFileSync(await report.write(docs, '1.2.3'), 'utf8')
  const cells = (row: string): readonly string[] => row.split('|').map(cell => cell.trim())
  const figures = ['18,000', '0.05', '12.3', '20,000', '0.05', '12.3', '5,000', '0.05', '12.3', '0.90']
  const kvGet = (connections: string): readonly string[] => ['', '`kv-get`', connections, ...figures, '']
  const rows = page.split('\n').filter(line => line.startsWith('| `'))
  t.deepEqual(rows.map(cells), [
    kvGet('1'),
    kvGet('64'),
    ['', '`chain`', '64', '900', '0.05', '12.3', '1,800', '0.05', '12.3', '', '', '', '0.50', '']
  ])
  t.regex(page, /version 1\.2\.3, taken on \d{4}-\d\d-\d\d by `npm run bench -- --report`/)
  t.regex(page, /The machine: \d+ cores? .* Node v\d+/)
  t.regex(page, /load average was between [\d.]+ and [\d.]+/)
  t.true(page.includes('memory  2,000 tokens created'))
  const files = ['rate-1.svg', 'p99-1.svg', 'rate-64.svg', 'p99-64.svg'].map(name => `benchmarks/${name}`)
  t.deepEqual(picturesOf(page), files)
  for (const file of files) {
    const svg = readFileSync(join(docs, file), 'utf8')
    t.regex(svg, /^<svg [^>]*xmlns="http:\/\/www\.w3\.org\/2000\/svg"/)
    for (const text of ['kv-get', 'Annals', 'bare node:http', 'Other v1.2'])
      t.true(svg.includes(`>${text}<`), `${text} in ${file}`)
    t.notRegex(svg, /NaN|undefined|<script/)
  }
  t.true(readFileSync(join(docs, 'benchmarks/rate-64.svg'), 'utf8').includes('>18k<'))
})

test('docs/benchmarks.md shows every picture that was made with it, and no other', t => {
  const docs = join(projectRoot, 'docs')
  const page = readFileSync(join(docs, 'benchmarks.md'), 'utf8')
  const made = readdirSync(join(docs, 'benchmarks')).map(name => `benchmarks/${name}`)
  t.deepEqual(picturesOf(page).toSorted(), made.toSorted())
  t.true(made.length > 0)
})
