// A write that was made before: its answer is given again.
import type { KeptAnswer } from '../../../events/kept-answer.js'
import { stillGrants, type GrantedRight } from '../../../projections/acl/granted-rights.js'
import type { Authority } from '../../../projections/acl/resolve.js'
import type { Answer } from '../answer.js'
import type { ApiRequest } from '../request.js'
import type { KeyedWrite } from './keyed-write.js'

export class RepeatedWrite implements KeyedWrite {

  constructor(private readonly kept: KeptAnswer) {
  }

  watch(authority: Authority): Authority {
    return authority
  }

  write(): Answer {
    const { Status, Text, Type, Headers } = this.kept
    return { status: Status, body: Text, type: Type, headers: Headers }
  }

  /** The answer, for who still has every right that the first write took. @throws Refusal `denied` */
  answerTo(request: ApiRequest): Answer {
    const rights: readonly GrantedRight[] = JSON.parse(this.kept.Rights)
    for (const right of rights)
      if (!stillGrants(request.authority.authorizer, right)) throw denialOf(request, right)
    return this.write()
  }
}

const denialOf = (request: ApiRequest, right: GrantedRight): Error => {
  switch (right.asked) {
    case 'thing':
      return request.denial(right.resource, right.access, right.segment, right)
    case 'all':
      return request.denial(right.resource, 'read', '', right)
    case 'namespace':
      return request.denial('operator', right.access)
  }
}
