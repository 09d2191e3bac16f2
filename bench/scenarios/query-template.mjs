// Finding and rendering a template among 10,000 by the longest prefix.
import { queryUpserted } from '../../dist/actors/query.js'
import { findQuery, Queries } from '../../dist/projections/queries/queries.js'
import { Watch } from '../../dist/projections/watch.js'
import { storedQuery } from '../../dist/test/support/queries.js'
import { median, targetText } from '../statistics.mjs'

const TEMPLATES = 10_000
const MOST_US = 5
const ROUNDS = 20

const template = i =>
  storedQuery(
    `00000000-0000-4000-8000-${String(i).padStart(12, '0')}`,
    {
      Name: `team-${i % 100}-app-${i}-`,
      Template: { Type: 'name_prefix_match' },
      Service: { Service: '${name.suffix}' }
    },
    i
  )

async function* measure() {
  const queries = new Queries(new Watch())
  for (let i = 1; i <= TEMPLATES; i++) queries.apply(queryUpserted(template(i)), { Index: i })
  const names = Array.from({ length: TEMPLATES }, (_, i) => `team-${(i + 1) % 100}-app-${i + 1}-web`)
  const timed = ask => {
    const times = Array.from({ length: ROUNDS }, () => {
      const started = performance.now()
      for (const name of names) ask(name)
      return ((performance.now() - started) * 1000) / TEMPLATES
    })
    return median(times)
  }
  const found = timed(name => queries.templateFor(name))
  const rendered = timed(name => findQuery(queries, name))
  yield (
    `query-template   look-up among ${TEMPLATES} ${found.toFixed(2)} us${targetText(found, MOST_US, false)}, ` +
    `with rendering ${rendered.toFixed(2)} us`
  )
}

export const scenario = { name: 'query-template', measure }
