// The services that may reach a service, and those that it may reach, two steps deep, by the intentions.
import type { Query } from '../../../typescript/connection.js'
import { useMemo } from 'preact/hooks'
import { Diagram, type DiagramBox, type DiagramLine, Refusal } from '../../design/index.js'
import { useBlockingQuery } from '../../session/use-response.js'
import { servicePage } from '../../resources/catalog/facts.js'
import { deciderOf, destinationOf, shortNameOf, sourceOf, verdictOf, type Intention } from './intention.js'

const STEPS = 2
const MAX_BOXES = 60

/** Returns the connections around a service, each once, and whether some were omitted. */
const around = (intentions: readonly Intention[], centre: string) => {
  const decide = deciderOf(intentions)
  const names = [sourceOf, destinationOf].map(nameOf => [...new Set(intentions.map(nameOf))])
  const [sources = [], destinations = []] = names
  const found = new Set([centre])
  const lines = new Map<string, DiagramLine>()
  let isCut = false
  const connect = (from: string, to: string): boolean => {
    const verdict = from === to ? undefined : verdictOf(decide(from, to))
    if (verdict === undefined || verdict === 'deny') return false
    const isLast = from === centre || found.has(from) ? to : from
    if (!found.has(isLast) && found.size >= MAX_BOXES) isCut = true
    else lines.set(`${from} ${to}`, { from, to, label: verdict === 'by request' ? verdict : '' })
    return !isCut
  }
  for (const [others, pair] of [
    [sources, (own: string, other: string) => [other, own] as const],
    [destinations, (own: string, other: string) => [own, other] as const]
  ] as const) {
    let reached = [centre]
    for (let step = 0; step < STEPS; step++) {
      const next = reached.flatMap(own => others.filter(other => connect(...pair(own, other))))
      reached = [...new Set(next)].filter(name => !found.has(name))
      for (const name of reached) found.add(name)
    }
  }
  return { lines: [...lines.values()], names: [...found], isCut }
}

const boxOf = (qualified: string, centre: string, partition: string): DiagramBox => {
  const [namespace = '', service = ''] = qualified.split('/')
  const isAny = service === '*'
  return {
    id: qualified,
    type: isAny ? 'any service' : 'service',
    name: shortNameOf(qualified),
    isMain: qualified === centre,
    href: isAny ? undefined : servicePage({ service, namespace, partition })
  }
}

interface Props {
  readonly service: string
  readonly query: Query
}

export const Topology = ({ service, query: { ns, partition } }: Props) => {
  const { value, failure } = useBlockingQuery<readonly Intention[]>('/v1/connect/intentions', {
    ns: '*',
    partition
  })
  const centre = `${typeof ns === 'string' ? ns : 'default'}/${service}`
  const place = typeof partition === 'string' ? partition : 'default'
  const picture = useMemo(() => {
    const { lines, names, isCut } = around(value ?? [], centre)
    return { lines, isCut, boxes: names.map(name => boxOf(name, centre, place)) }
  }, [value, centre, place])
  return (
    <section aria-label="Topology">
      <Refusal text={failure} />
      <p class="quiet">
        Connections that intentions allow. The default policy decides all others.
        {picture.isCut && ` Only ${MAX_BOXES} services are shown.`}
      </p>
      {value && <Diagram title={`Topology of ${service}`} boxes={picture.boxes} lines={picture.lines} />}
    </section>
  )
}
