// Parses DNS names of this server's domains (spec: queries.md §8.1, tenancy.md §11).

/** Datacenter ('' for this one), partition and namespace. */
export interface DnsTenancy {
  readonly datacenter: string
  readonly partition: string
  readonly namespace: string
}

export type DnsLookup =
  | { readonly kind: 'node'; readonly node: string; readonly place: DnsTenancy }
  | { readonly kind: 'service'; readonly service: string; readonly tag: string; readonly place: DnsTenancy }
  | { readonly kind: 'connect' | 'ingress'; readonly service: string; readonly place: DnsTenancy }
  | { readonly kind: 'query'; readonly name: string; readonly place: DnsTenancy }
  | { readonly kind: 'addr'; readonly hex: string }

type Kind = DnsLookup['kind']

const KINDS: ReadonlySet<string> = new Set<Kind>(['node', 'service', 'connect', 'ingress', 'query', 'addr'])
const isKind = (label: string): label is Kind => KINDS.has(label)

const MARKS = ['ns', 'ap', 'dc']
const HOME: DnsTenancy = { datacenter: '', partition: 'default', namespace: 'default' }

/** Parses `[.x.ns][.y.ap][.z.dc]`, in this order. */
const labelled = (labels: readonly string[]): DnsTenancy | undefined => {
  const found = new Map<string, string>()
  let last = -1
  for (let i = 0; i < labels.length; i += 2) {
    const [name = '', mark = ''] = labels.slice(i, i + 2)
    const position = MARKS.indexOf(mark)
    if (position <= last) return undefined
    last = position
    found.set(mark, name)
  }
  return {
    datacenter: found.get('dc') ?? '',
    partition: found.get('ap') ?? 'default',
    namespace: found.get('ns') ?? 'default'
  }
}

const placeOf = (kind: Kind, labels: readonly string[], preferNamespace: boolean): DnsTenancy | undefined => {
  const [first, second] = labels
  if (first === undefined) return HOME
  const hasNamespace = kind !== 'node' && kind !== 'query'
  const place =
    labels.length === 1
      ? preferNamespace && hasNamespace
        ? { ...HOME, namespace: first }
        : { ...HOME, datacenter: first }
      : labels.length % 2 === 0 && MARKS.includes(second ?? '')
        ? labelled(labels)
        : labels.length === 2 && second !== undefined
          ? { ...HOME, namespace: first, datacenter: second }
          : undefined
  return place && (hasNamespace || place.namespace === 'default') ? place : undefined
}

const isUnderscored = (label: string | undefined): label is string => label?.startsWith('_') === true

const serviceLookup = (labels: readonly string[], place: DnsTenancy): DnsLookup | undefined => {
  const [first, second] = labels
  // RFC 2782: `_tcp` stands for every tag.
  if (labels.length === 2 && isUnderscored(first) && isUnderscored(second)) {
    const tag = second.slice(1)
    return { kind: 'service', service: first.slice(1), tag: tag === 'tcp' ? '' : tag, place }
  }
  const service = labels.at(-1)
  return service === undefined
    ? undefined
    : { kind: 'service', service, tag: labels.slice(0, -1).join('.'), place }
}

/**
 * Returns the lookup of a name; undefined for an invalid name.
 * @param labels in lower case, without those of the domain
 * @param type of the question: `_service._tag` alone is a service for SRV only
 */
export const parseName = (
  labels: readonly string[],
  type: string,
  preferNamespace: boolean
): DnsLookup | undefined => {
  const isMark = (label: string): boolean => isKind(label) || (type === 'SRV' && isUnderscored(label))
  const at = labels.findLastIndex(isMark)
  const mark = labels[at]
  if (mark === undefined) return undefined
  const isBare = !isKind(mark)
  const kind: Kind = isBare ? 'service' : mark
  const left = labels.slice(0, isBare ? at + 1 : at)
  const right = labels.slice(at + 1)
  if (kind === 'addr') {
    const [hex] = left
    return hex === undefined || left.length !== 1 ? undefined : { kind, hex }
  }
  const place = placeOf(kind, right, preferNamespace)
  const last = left.at(-1)
  if (!place || last === undefined) return undefined
  switch (kind) {
    case 'node':
      return { kind, node: left.join('.'), place }
    case 'query':
      return { kind, name: left.join('.'), place }
    case 'connect':
    case 'ingress':
      return { kind, service: last, place }
    case 'service':
      return serviceLookup(left, place)
  }
}
