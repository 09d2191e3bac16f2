// `annals kv`
import { group } from '../remote/command.js'
import { kvGet, kvList } from './get.js'
import { kvDelete, kvPut } from './put.js'
import { kvExport, kvImport } from './transfer.js'

export const kv = group({
  summary: 'Read and write keys.',
  examples: [
    'annals kv put web/port 8080',
    'annals kv get web/port',
    'annals kv get -recurse web/',
    'annals kv export web/ > web.json'
  ],
  commands: {
    get: kvGet,
    put: kvPut,
    delete: kvDelete,
    list: kvList,
    export: kvExport,
    import: kvImport
  }
})
