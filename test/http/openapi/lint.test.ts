// What linters of OpenAPI documents say of ours.
import { createConfig, lintFromString } from '@redocly/openapi-core'
import spectral, { type RulesetDefinition } from '@stoplight/spectral-core'
import rulesets from '@stoplight/spectral-rulesets'
import test from 'ava'
import { openApiOf } from '../../../http/openapi/document.js'
import { allRoutes } from '../../support/routes.js'

/** The types of the two packages do not fit, as the one infers `number` for the severities that the other enumerates. */
const isRuleset = (value: object): value is RulesetDefinition => 'rules' in value

const document = openApiOf(allRoutes)

/** The contract lists all configuration entries under a path that ends with a slash (`GET /v1/config` is 405). */
const PATH_WITH_SLASH = '/v1/config/'

/** The ID of a policy or role is a UUID, and never `name`. */
const BESIDE_NAMES = /two ambiguous paths: .*`\/v1\/acl\/(policy|role)\/name\/\{name\}`/

test('redocly finds nothing by its recommended rules', async t => {
  const config = await createConfig({ extends: ['recommended'] })
  const source = JSON.stringify(document)
  const problems = await lintFromString({ source, absoluteRef: 'openapi.json', config })
  t.deepEqual(
    problems
      .filter(({ message }) => !BESIDE_NAMES.test(message))
      .map(({ ruleId, message, location }) => [ruleId, message, location[0]?.pointer]),
    [['no-path-trailing-slash', '`/v1/config/` should not have a trailing slash.', '#/paths/~1v1~1config~1']]
  )
})

test('spectral finds nothing by its rules for OpenAPI', async t => {
  const linter = new spectral.Spectral()
  const oas: object = rulesets.oas
  if (!isRuleset(oas)) throw new Error('the rules for OpenAPI are no ruleset')
  linter.setRuleset({ extends: [oas] })
  const problems = await linter.run({ ...document })
  t.deepEqual(
    problems.map(({ code, path }) => [code, path.join('.')]),
    [['path-keys-no-trailing-slash', `paths.${PATH_WITH_SLASH}`]]
  )
})
