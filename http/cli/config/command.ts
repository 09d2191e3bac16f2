// `annals config`
import { group } from '../remote/command.js'
import { configConvert } from './convert.js'
import { configList, configRead } from './read.js'
import { configDelete, configDiff, configWrite } from './write.js'

export const config = group({
  summary: 'Read and write the configuration of services.',
  examples: [
    'annals config list',
    'annals config read -kind service-router -name web',
    'annals config write -dry-run web-router.hcl',
    'annals config write web-router.hcl'
  ],
  commands: {
    read: configRead,
    write: configWrite,
    delete: configDelete,
    list: configList,
    diff: configDiff,
    convert: configConvert
  }
})
