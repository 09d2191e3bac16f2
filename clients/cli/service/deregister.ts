// `annals service deregister`
import { UsageError } from '../console.js'
import { remoteCommand } from '../remote/command.js'
import { DEFINITION, definitionsIn, saidIn } from '../remote/definition.js'
import { rest, text } from '../remote/flags.js'
import { SERVICES } from './register.js'

export const deregister = remoteCommand({
  summary: 'Deregister services of the server that is asked: those of files, or one by its ID.',
  examples: ['annals service deregister -id=web', 'annals service deregister web.hcl'],
  args: { files: rest(DEFINITION) },
  flags: { id: text('id', 'ID of the instance') },
  run: async ({ send, out, args, flags, console }) => {
    const { id } = flags
    if ((id === undefined) === (args.files.length === 0))
      throw new UsageError('services are named by files, or one by --id')
    const read = await Promise.all(args.files.map(file => definitionsIn(file, SERVICES, console)))
    const ids = id === undefined ? read.flat().map(each => saidIn(each, 'id') ?? saidIn(each, 'name')) : [id]
    for (const each of ids) {
      if (typeof each !== 'string') throw new UsageError('a service in a file has neither a name nor an ID')
      await send('PUT', `/v1/agent/service/deregister/${encodeURIComponent(each)}`)
      out.done(`Deregistered service: ${each}`)
    }
  }
})
