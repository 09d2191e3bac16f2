// Bar charts of figures by Vega-Lite, as self-contained SVG.
import { parse, View } from 'vega'
import { compile } from 'vega-lite'

/** Colors by server, equal in all charts. */
const COLOURS = { Annals: '#2563eb', bare: '#9ca3af', other: '#d97706' }

/**
 * Creates a chart: a row for each scenario, a bar for each server.
 * @param figures [{ scenario, server, … }], of one number of connections
 * @param field a number of the figures, with its axis title
 * @param names legend texts by the server names of the figures
 * @returns SVG
 */
export async function barsOf(figures, { field, title, subtitle, axis, format }, names) {
  const servers = Object.keys(names).filter(name => figures.some(({ server }) => server === name))
  const spec = {
    $schema: 'https://vega.github.io/schema/vega-lite/v6.json',
    background: 'white',
    padding: 12,
    title: { text: title, subtitle, anchor: 'start', frame: 'group', fontSize: 15, subtitleColor: '#4b5563' },
    width: 520,
    data: {
      values: figures.map(figure => ({
        scenario: figure.scenario,
        server: names[figure.server],
        value: figure[field],
        text: format(figure[field])
      }))
    },
    height: { step: servers.length > 2 ? 11 : 14 },
    encoding: {
      y: { field: 'scenario', type: 'nominal', title: null, sort: null, scale: { paddingInner: 0.35 } },
      yOffset: { field: 'server', sort: servers.map(server => names[server]) },
      x: { field: 'value', type: 'quantitative', title: axis, axis: { tickCount: 6, format: '~s' } }
    },
    layer: [
      {
        mark: { type: 'bar' },
        encoding: {
          color: {
            field: 'server',
            title: null,
            sort: servers.map(server => names[server]),
            scale: {
              domain: servers.map(server => names[server]),
              range: servers.map(server => COLOURS[server])
            },
            legend: { orient: 'top' }
          }
        }
      },
      {
        mark: { type: 'text', align: 'left', dx: 3, fontSize: 9, color: '#374151' },
        encoding: { text: { field: 'text' } }
      }
    ],
    config: { view: { stroke: null }, font: 'system-ui, sans-serif', axis: { labelFontSize: 11 } }
  }
  const view = new View(parse(compile(spec).spec), { renderer: 'none' })
  try {
    return `${await view.toSVG()}\n`
  } finally {
    view.finalize()
  }
}
