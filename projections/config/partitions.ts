import type { ConfigContent } from '../../events/config-entry.js'

interface NamedPartition {
  /** The path, as in `Routes[0].Destination.Partition`. */
  readonly field: string
  readonly partition: string
}

/** `at` returns the path of a part. */
const ofParts = (
  parts: readonly ({ readonly Partition?: string } | undefined)[] | null | undefined,
  at: (index: number) => string
): readonly NamedPartition[] =>
  (parts ?? []).flatMap((part, i) =>
    part?.Partition === undefined ? [] : [{ field: `${at(i)}.Partition`, partition: part.Partition }]
  )

/** Lists the partitions that the parts name, in their order (spec: config.md §4.10). Cost: the size of the entry. */
export const partitionsNamed = (entry: ConfigContent): readonly NamedPartition[] => {
  switch (entry.Kind) {
    case 'service-router': {
      const destinations = (entry.Routes ?? []).map(({ Destination }) => Destination)
      return ofParts(destinations, i => `Routes[${i}].Destination`)
    }
    case 'service-splitter':
      return ofParts(entry.Splits, i => `Splits[${i}]`)
    case 'service-resolver': {
      const failovers = Object.entries(entry.Failover ?? {})
      return [
        ...ofParts([entry.Redirect], () => 'Redirect'),
        ...failovers.flatMap(([subset, part]) => ofParts([part], () => `Failover.${subset}`))
      ]
    }
    case 'service-intentions':
      return ofParts(entry.Sources, i => `Sources[${i}]`)
    case 'ingress-gateway':
      return (entry.Listeners ?? []).flatMap(({ Services }, i) =>
        ofParts(Services, j => `Listeners[${i}].Services[${j}]`)
      )
    case 'terminating-gateway':
      return ofParts(entry.Services, i => `Services[${i}]`)
    case 'service-defaults':
      return ofParts(entry.UpstreamConfig?.Overrides, i => `UpstreamConfig.Overrides[${i}]`)
    case 'exported-services':
      return entry.Services.flatMap(({ Consumers }, i) =>
        ofParts(Consumers, j => `Services[${i}].Consumers[${j}]`)
      )
    case 'proxy-defaults':
    case 'mesh':
      return []
  }
}
