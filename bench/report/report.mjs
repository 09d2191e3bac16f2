// Collects the figures of a run, and writes docs/benchmarks.md with its charts.
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { format, resolveConfig } from 'prettier'
import { busyText, loadNow, machineText } from './machine.mjs'
import { pageOf } from './page.mjs'
import { barsOf } from './pictures.mjs'

const FOLDER = 'benchmarks'

const thousands = value => (value < 10_000 ? String(Math.round(value)) : `${Math.round(value / 1000)}k`)
const milliseconds = value => (value < 10 ? value.toFixed(2) : value.toFixed(0))

/** The charted scenarios by number of connections. */
const PICTURES = [
  { name: 'rate', field: 'rate', title: 'Requests a second', axis: 'requests/s', format: thousands },
  {
    name: 'p99',
    field: 'p99',
    title: 'Time of the slowest in a hundred',
    axis: 'ms (p99)',
    format: milliseconds
  }
]

export class Report {
  #figures = []
  #lines = {}
  #loads = [loadNow()]
  #names
  #command

  /** @param command of this run @param beside name of the other server */
  constructor({ command, beside }) {
    this.#command = command
    this.#names = { Annals: 'Annals', bare: 'bare node:http', ...(beside ? { other: beside } : {}) }
  }

  /** Adds { scenario, connections, server: 'Annals' | 'bare' | 'other', rate, p50, p99, ratio? }. */
  figure(figure) {
    this.#figures.push(figure)
    this.#loads.push(loadNow())
  }

  /** Adds the output of a scenario that is not a comparison. */
  lines(scenario, lines) {
    this.#lines[scenario] = lines
    this.#loads.push(loadNow())
  }

  /** Writes the page and its pictures, and replaces the previous ones. @param docs folder of the documentation */
  async write(docs, version) {
    const folder = join(docs, FOLDER)
    rmSync(folder, { recursive: true, force: true })
    mkdirSync(folder, { recursive: true })
    const pictures = []
    for (const connections of new Set(this.#figures.map(figure => figure.connections)))
      for (const { name, ...drawn } of PICTURES) {
        const figures = this.#figures.filter(figure => figure.connections === connections)
        const subtitle = connections === 1 ? 'one connection' : `${connections} connections`
        const file = `${FOLDER}/${name}-${connections}.svg`
        writeFileSync(join(docs, file), await barsOf(figures, { ...drawn, subtitle }, this.#names))
        pictures.push({ file: `./${file}`, title: `${drawn.title}, ${subtitle}` })
      }
    const path = join(docs, 'benchmarks.md')
    const page = pageOf({
      figures: this.#figures,
      pictures,
      lines: this.#lines,
      names: this.#names,
      machine: machineText(),
      busy: busyText(this.#loads),
      date: new Date().toISOString().slice(0, 10),
      command: this.#command,
      version
    })
    writeFileSync(path, await format(page, { ...(await resolveConfig(path)), parser: 'markdown' }))
    return path
  }
}
