import { fieldIn, listIn as listOf, textIn as text, textOf, type Fields } from './kind.js'

const namesIn = (value: unknown): readonly string[] => Object.keys(Object(value))

const some = (...parts: readonly (string | false)[]): string => parts.filter(Boolean).join('; ')

const count = (number: number, one: string): string => `${number} ${one}${number === 1 ? '' : 's'}`

const SUMMARIES: Readonly<Record<string, (entry: Fields) => string>> = {
  'service-defaults': entry => some(text(entry, 'Protocol'), text(entry, 'MutualTLSMode')),
  'service-resolver': entry => {
    const [subsets, failover] = [namesIn(entry['Subsets']), namesIn(entry['Failover'])]
    const to = fieldIn(entry, 'Redirect')
    return some(
      subsets.length > 0 && `subsets ${subsets.join(', ')}`,
      failover.length > 0 && `failover for ${failover.join(', ')}`,
      to !== undefined && `redirect to ${text(to, 'Service') || text(to, 'Datacenter')}`
    )
  },
  'service-splitter': ({ Splits, Name }) =>
    listOf(Splits)
      .map(split => {
        const where = [text(split, 'Service') || textOf(Name), text(split, 'ServiceSubset')]
        return `${text(split, 'Weight')} % ${where.filter(Boolean).join(' ')}`
      })
      .join(', '),
  'service-router': ({ Routes }) => count(listOf(Routes).length, 'route'),
  'service-intentions': ({ Sources }) =>
    listOf(Sources)
      .map(source => `${text(source, 'Name')} ${text(source, 'Action') || 'by permissions'}`)
      .join(', '),
  'proxy-defaults': ({ Config }) => text(Config, 'protocol'),
  'ingress-gateway': ({ Listeners }) =>
    listOf(Listeners)
      .map(each => `${text(each, 'Port')} ${text(each, 'Protocol')}`)
      .join(', '),
  'terminating-gateway': ({ Services }) =>
    listOf(Services)
      .map(each => text(each, 'Name'))
      .join(', '),
  'exported-services': ({ Services }) =>
    listOf(Services)
      .map(each => `${text(each, 'Name')} to ${count(listOf(fieldIn(each, 'Consumers')).length, 'consumer')}`)
      .join(', ')
}

export const formatEntry = (entry: Fields): string => SUMMARIES[textOf(entry['Kind'])]?.(entry) ?? ''
