// `annals operator usage`
import { group, remoteCommand } from '../remote/command.js'
import { table } from '../remote/output.js'

interface Usage {
  readonly Service: string
  readonly Instances: number
  readonly Passing: number
}

interface Instance {
  readonly Checks: readonly { readonly Status: string }[]
}

/** Services that are asked about at the same time. */
const AT_ONCE = 8

const instances = remoteCommand({
  summary: 'Count the instances of each service that the token may see.',
  about: 'One question for each service, so that the counts are of slightly different moments.',
  examples: ['annals operator usage instances', 'annals operator usage instances -ns=team --json'],
  run: async ({ read, out }) => {
    const names = Object.keys(
      await read<Readonly<Record<string, unknown>>>('/v1/catalog/services')
    ).toSorted()
    const usageOf = async (Service: string): Promise<Usage> => {
      const found = await read<readonly Instance[]>(`/v1/health/service/${encodeURIComponent(Service)}`)
      const passing = found.filter(({ Checks }) => Checks.every(({ Status }) => Status === 'passing'))
      return { Service, Instances: found.length, Passing: passing.length }
    }
    const usages: Usage[] = []
    for (let at = 0; at < names.length; at += AT_ONCE)
      usages.push(...(await Promise.all(names.slice(at, at + AT_ONCE).map(usageOf))))
    out.show(usages, all => {
      const rows = all.map(each => [each.Service, each.Instances, each.Passing])
      const sum = (of: (usage: Usage) => number): number => all.reduce((total, each) => total + of(each), 0)
      const total = ['Total', sum(each => each.Instances), sum(each => each.Passing)]
      return table(['Service', 'Instances', 'Passing'], [...rows, total])
    })
  }
})

export const usage = group({
  summary: 'Count what there is.',
  examples: ['annals operator usage instances'],
  commands: { instances }
})
