// `annals partition`
import { group, remoteCommand } from '../remote/command.js'
import { text } from '../remote/flags.js'
import { fields, table } from '../remote/output.js'
import { commonCommands, nameOf, naming, pathOf } from './common.js'

interface Partition {
  readonly Name: string
  readonly Description: string
}

const partitionText = ({ Name, Description }: Partition): string =>
  fields([
    ['Name', Name],
    ['Description', Description]
  ])

const contentFlags = { description: text('text', 'what it is for') }

const create = remoteCommand({
  summary: 'Create an admin partition.',
  examples: ['annals partition create -name east -description "The east"'],
  args: naming.args,
  flags: { ...naming.flags, ...contentFlags },
  run: async ({ send, out, args, flags }) => {
    const body = { Name: nameOf(flags, args), Description: flags.description }
    out.show(await (await send('PUT', '/v1/partition', { body })).json<Partition>(), partitionText)
  }
})

const update = remoteCommand({
  summary: 'Change the description of an admin partition.',
  examples: ['annals partition update -name east -description "The new east"'],
  args: naming.args,
  flags: { ...naming.flags, ...contentFlags },
  run: async ({ read, send, out, args, flags }) => {
    const path = pathOf('partition', nameOf(flags, args))
    const before = await read<Partition>(path)
    const answer = await send('PUT', path, { body: { Description: flags.description ?? before.Description } })
    out.show(await answer.json<Partition>(), partitionText)
  }
})

const list = remoteCommand({
  summary: 'List admin partitions.',
  examples: ['annals partition list'],
  run: async ({ read, out }) =>
    out.show(await read<readonly Partition[]>('/v1/partitions'), partitions =>
      table(
        ['Name', 'Description'],
        partitions.map(({ Name, Description }) => [Name, Description])
      )
    )
})

const common = commonCommands<Partition>({
  kind: 'partition',
  called: 'an admin partition',
  example: 'east',
  asText: partitionText
})

export const partition = group({
  summary: 'Create, show and delete admin partitions.',
  examples: ['annals partition create -name east', 'annals partition list'],
  commands: { create, update, list, ...common }
})
