// `annals intention`
import { group } from '../remote/command.js'
import { intentionCheck, intentionGet, intentionList, intentionMatch } from './read.js'
import { intentionCreate, intentionDelete } from './write.js'

export const intention = group({
  summary: 'Show and change who may connect to which service.',
  about:
    'Services are named as NAME, NAMESPACE/NAME or PARTITION/NAMESPACE/NAME; * is any service.\nIntentions with permissions are service-intentions entries: `annals config write`.',
  examples: [
    'annals intention create -deny "*" db',
    'annals intention create web db',
    'annals intention check web db'
  ],
  commands: {
    create: intentionCreate,
    delete: intentionDelete,
    get: intentionGet,
    list: intentionList,
    match: intentionMatch,
    check: intentionCheck
  }
})
