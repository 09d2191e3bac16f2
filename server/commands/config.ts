// `annals config`
import { group } from '../../clients/cli/remote/command.js'
import { configConvert } from './config-convert.js'
import { configList, configRead } from '../../clients/cli/config/read.js'
import { configDelete, configDiff, configWrite } from '../../clients/cli/config/write.js'

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
