"""The forms in which people say a rule, as patterns over a sentence in which each command and file is one letter.

`derived.py` says what each of them means. Nothing of this is asked in a hook.
"""

from __future__ import annotations

from holdfast.base.regexes import kept
from holdfast.language.mentions import BRANCH as MARK
from holdfast.language.mentions import MENTION

QUOTED = kept(r"`[^`\n]*`")
# In `git checkout -- .` the dashes are the command's.
SENTENCE = kept(
    r"(?<=[.!?;])(?<!\s\.)(?<!\be\.g\.)(?<!\bi\.e\.)(?<!\betc\.)(?<!\bvs\.)\s+"
    r"|\n+|,\s+(?=and (?:never|don['’]?t|do not|nobody|no one|niemand)\s)|\s+(?!--\s+[\w*-]*[./])[–—-]{1,2}\s+"
    # "X - never": what stands behind the dash is said of what stands before it.
    r"(?!(?i:never|not?|nie|nicht|forbidden|verboten|finger weg|hands off|off[- ]limits)\s*(?:[.,;!]|$))"
)
# A ban behind another one.
NEXT_BAN = kept(
    r"(?i)(?P<first>(?:^|[.;:]\s+|\s[–—-]\s+)(?P<not>never|do not|don['’]t|must not|no)\s[^.;:,]*)"
    r"(?P<and>,\s+(?:and\s+|or\s+)?(?=(?:never|do not|don['’]t|no)\s)"
    r"|,?\s+or\s+(?=(?P<verb>run|use|edit|modify|touch|execute|start|call)\s+(?:(?:[a-z]+\s+){1,2}\()?x))"
)
COMMIT_IT = kept(r"(?i)\b(?:commit|check in|stage)\s+(?P<it>it|them|these|those)\b")
# What is about when to end says nothing of the call before which it is to be.
ENDS = kept(r"\b(?:stop|end|finish|quit)\w*\s+$")
_AND = r"(?:\s*(?:,|/|\bor\b|\band\b|\bnor\b|\boder\b|\bund\b|\bno\b|\bnot\b)\s*)+"
# "Never npm or yarn, pnpm only": what is wanted is none of the list.
_WISHED = r"(?!\s+(?:only|exclusively|instead|all the way|(?:is|are) (?:fine|ok|okay|the (?:way|one)|what)|it is)\b)"
_ITEM = rf"{MENTION}{_WISHED}"
_LIST = rf"{MENTION}(?:{_AND}{_ITEM})*"
# "the prod/ folder or anything in secrets/": both are meant.
_OR_IN = (
    r"(?:\s+(?:folders?|files?|director(?:y|ies)|scripts?|commands?))?\s*,?\s*\b(?:or|nor|oder)\s+"
    r"(?:(?:the|any|anything|something|files?|file|in|under|inside|below|within|our|your|my|all|every|of|contents)\s+)*"
)
_LONG_LIST = rf"{MENTION}(?:(?:{_AND}|{_OR_IN}){_ITEM})*"
# "A clone that has never run it" tells something, and forbids nothing.
_TOLD = "".join([rf"(?<!\b{word} )" for word in ("has", "have", "had", "is", "are", "was", "were", "will", "would")])
NOT = (
    rf"(?:^not(?=\s+{_LIST}\W*$|\s+to\s)|{_TOLD}never"
    r"|(?:(?<!\bi )(?:do not|don['’]?t)|\bi (?:do not|don['’]?t) want you to)"
    r"|must not|mustn['’]?t|should not|shouldn['’]?t|may not|(?<!\bi )(?<!\bwe )cannot"
    rf"|(?<!\bi )(?<!\bwe )can['’]?t|avoid|stop(?=\s+\w+ing)|^no"
    rf"|(?:(?<=[(,;:]\s)|(?<=\()|(?<=\bso )|(?<=\bplease ))no(?=\s+{MENTION})"
    r"|(?<=:\s)no(?=\s+(?:direct\s+)?(?:commit|push|merge|merging|rebas|force)\w*)|(?:stay|keep) away from|refrain from"
    r"|(?:(?:told|asked|want|wanted|need) you|remember|careful|sure|decided|agreed|supposed) not(?=\s+to\b)"
    r"|(?:remember|sure|supposed) to not|^keine?|nie|niemals|keinesfalls"
    r"|auf (?:gar )?keinen fall|bitte nicht|(?:(?<=\bverwende )|(?<=\bnutze )|(?<=\bnimm ))kein(?:e|en)?"
    r"|under no circumstances?|on no account|unter keinen umständen"
    r"|\byou(?: are|['’]?re) not (?:allowed|permitted)(?=\s+to\b))"
)
# German has the verb at its end: "nie ohne Rückfrage pushen", "nie auf main committen".
ASKING = r"(?:(?:ohne (?:rückfrage|zu fragen|mich zu fragen|nachfrage)|(?:direkt )?auf (?:main|master|develop))\s+)?"
# To wait for the person is what a call is held for.
PERSON = (
    r"(?:(?:then|first|being|an?|the|my|your|his|her|their|our|prior|having|getting|clear|written)\s+)*"
    r"(?:i|i['’]\w+|me|my|mine|you(?:['’]re| are| were| have been)? (?:ask|told)\w*|ask\w*|explicit\w*|told"
    r"|tell\w* me|letting me|inform\w* me|warn\w* me"
    r"|permission|approv\w*|confirm\w*|consent|review\w*|sign-?off|user|person|human|operator|owner"
    r"|maintainer\w*|instruct\w*|request\w*|ok|okay"
    r"|go-ahead|say-so|ich|mich|meine?|rückfrage|nachfrage|zu fragen|erlaubnis)\b"
)
ADVERBS = (
    r"(?:(?:(?:try|attempt|trying) to|(?:should|may|must|can|do|are) you(?: to)?|ever|again|please|direct"
    r"|directly|manually|just|simply|blindly|also|even|to|be|by hand)\s+)*"
)
RUN = (
    r"(?:run|running|use|using|call|calling|launch|launching|trigger|triggering|execute|executing|invoke|do|type"
    r"|start|add|install"
    r"|(?:format|lint|test|build|search|deploy)(?:ting|ing)? (?:code |files |things )?(?:with|using|via|through)"
    r"|ausführen|nutze|verwende)"
)
RUNS = kept(r"\b(?:run|running|execut\w+)\b")
ASKS = kept(
    r"^(?:always |please |you must |you should )*(?:(?:ask|frag)\b|(?:check|confirm) with (?:me|the user)\b"
    r"|(?:get|obtain|wait for|request)\s+(?:(?:my|the|user|user['’]s|explicit|clear|written)\s+)+"
    r"(?:ok|okay|approval|permission|confirmation|consent|go-ahead|sign-?off)\b)"
)
EDIT = (
    r"(?:edit|editing|touch|touching|change|changing|modify|modifying|delete|deleting|remove|removing|overwrite|rewrite"
    r"|write|writing|make (?:any )?(?:changes?|edits?) (?:to|in)|move|rename|create"
    r"|alter|update|updating|hand-edit|regenerate|reformat|replace|bump|bumping|patch|patching|upgrade|upgrading"
    r"|tweak|tweaking|mess with|fiddle with)"
)
IT = kept(
    rf"(?i)\b(?P<edit>{EDIT})\s+(?P<it>it|them)\b|\b(?:run|use|call)\s+(?P<run>it|them)\b"
    r"|^(?P<they>it|they)\b(?=.*\bmust (?:never|not) be\b)|\b(?:run|use)\s[^,;]*\son (?P<on>them|it|those|these)\b"
)
CHANGES_FILE = kept(EDIT)
READ = (
    r"(?:read|reading|cat|catting|print|printing|open|opening|show|showing|display|displaying|dump|dumping|view"
    r"|viewing|look (?:at|into|inside)|looking (?:at|into|inside))"
)
READS_FILE = kept(rf"\b{READ}\b")
# What is in a file is the file, where it is read.
CONTENTS = kept(r"^(?:['’]s)?\s+(?:files?|values?|contents?|secrets)\b")
_DETERMINERS = (
    r"(?:(?:(?:auto-?)?generated|compiled|vendored|minified|built|protobuf|migrations|snapshots|fixtures|stubs"
    r"|bindings|the|any|a|an|our|your|my|files?|anything|something|code|in|under|inside|below|within|to|with|of"
    r"|plain|bare|raw|global|file|folder|directory|command|or|and|existing|from|all|every|contents?|via|through)\s+)*"
)
# "Any database migration (`alembic upgrade`)".
_NAMELY = r"(?:(?:[\w-]+\s+){1,3}\((?:e\.g\.,?\s+|i\.e\.,?\s+|like\s+|via\s+|with\s+)?)?"
FORBIDS = kept(
    rf"\b{NOT}\s+{ADVERBS}(?P<verbs>(?:(?:{RUN}|{EDIT}|{READ})(?:,\s*(?:n?or|and)?\s*|\s+(?:n?or|and)\s+|/|\s+))*)"
    rf"{_DETERMINERS}(?:files:\s*)?{_NAMELY}(?P<what>{_LONG_LIST})"
)
# What is named so is not meant: "never touch ci/ except ci/README.md".
EXCEPT = kept(
    r"\s*,?\s*\(?\b(?:except|excluding|other than|apart from|besides|but not|save for|with the exception of)\s+"
    rf"(?:(?:for|in|the|of|files?|under|running)\s+)*(?P<but>{_LIST})"
)
# All is allowed but what is named: "you may run anything except `git push`".
ALL_BUT = kept(
    r"(?:^(?:all|any|every|most|other)\w*\b[^,;]*\b(?:is|are) (?:all )?(?:fine|ok|okay|allowed|permitted)"
    r"|\b(?:may|can) (?:freely )?(?:(?:run|use|do|execute"
    r"|edit|touch|change|modify) )+(?:any|every|all|what)\w*(?: [\w ]{1,20}?)?)\s*,?\s*"
    r"(?:except|but not|other than|apart from|besides|excluding|just not)\s+(?:(?:for|the|in|running)\s+)*"
    rf"(?P<what>{_LIST})"
)
OBJECT = kept(rf"\s+{_DETERMINERS}(?P<what>{_LONG_LIST})")
_INSTEAD = r"\b(?:instead of|rather than|over|not|statt|anstatt|anstelle von|nicht)\s+"
# In "rg instead of grep and fd instead of find" the one behind "and" is wanted; in "not npm, not yarn" none is.
_WORSE = (
    rf"{MENTION}(?:(?:\s*,?\s*(?:\b(?:or|and)\s+)?\b(?:not|no|nicht)\s+){MENTION}"
    rf"|{_AND}{MENTION}(?!\s*,?\s*{_INSTEAD}{MENTION}))*"
)
INSTEAD = kept(
    rf"{_INSTEAD}"
    r"(?:(?:use|using|with|via|the|plain|bare|raw|purely|run|running|calling|invoking|directly|just|global|system)\s+)*"
    rf"(?P<what>{_WORSE})"
)
# Between the two pairs of one sentence stands only what is wanted the second time.
NEXT_PAIR = kept(rf"[\s,;]*(?:\b(?:and|und)\s+)?(?:use\s+|prefer\s+)?{MENTION}\s*,?\s*")
PREFERS = kept(r"\b(?:use|used|using|run|prefer|switch|via|with|nutze|verwende|nimm|mit|always|lets|let's)\b|^")
# "It ranges over `pip` and `uv`" prefers none.
OVER = kept(r"\b(?:prefer\w*|us(?:e|es|ed|ing)|choose|chose|favou?r\w*|pick\w*|go with|went with|always)\b")
# "The guide should say X, not Y" is about the words of a text, and no call.
WORDING = kept(
    r"\b(?:writ(?:e|es|ing)|says?|saying|spell|names?|naming|titles?|labels?|mentions?|documents?|phrase|words?|types?"
    r"|reads?|prints?|shows?|display|quote|refer to|call (?:it|them|the)"
    r"|schreib\w*|sag\w*|nenn\w*|erwähn\w*|escrib\w*|di|nombra"
    r"|(?:docs?|documentation|guide|manual|tutorial|readme|intro|button|wiki|handbook)(?: \w+)? uses?"
    r"|pon|llam\w+|écri\w*|dis|dites|nomme\w*|appelle\w*|mentionne\w*)\s+"
    rf"(?:(?!(?:us|run|prefer|nutz|nimm|verwend|utilis)\w*\s|(?:with|via|through|mit|con|avec)\s)[\w'’-]+\s+){{0,6}}"
    rf"{MENTION}[^;:]*$"
)
# What begins with one of these tells of a change that was made.
WAS_DONE = kept(
    r"(?:changed|updated|switched|modified|migrated|moved|added|fixed|improved|refactored|converted|made)\s"
)
# What may be needed somewhere is no rule.
MAY_BE = kept(r"\b(?:may|might|can|could)\s+(?:also\s+)?(?:need|want|have|use|run|be)\b")
# What is done, or may be done, before something says nothing of what is to be done.
DONE_BEFORE = kept(r"^\W*(?:\w+ed|validation|verification)\b|\b(?:can|could|may|might|will|would|was|were|has|had)\b")
# What is only better is said, and holds nothing.
PERHAPS = kept(r"\b(?:prefer\w*|probably|maybe|perhaps|ideally|usually|lieber|möglichst)\b")
SETS = kept(
    rf"\b(?:{NOT}|not allowed|forbidden|banned|verboten|instead of|rather than|statt|without|unless|only|before"
    rf"|ask me|ask first)\b|, not "
)
# What a person reads as a ban, whether anything is derived from it or not.
PLAIN_BAN = kept(
    rf"(?:^|[,;]\s+(?:(?:so|but|and)\s+)?|\b(?:and|but)\s+)(?:(?:please|bitte|you|we|should|must|may)\s+)*{NOT}(?:\s|\W*$)"
    r"|\byou (?:must|should|may)(?: not|n['’]?t| never)\b|\b(?:must|should|may) (?:not|never) be \w+e[dn]\b"
    r"|\bleave\b.*\b(?:alone|to me)\b|\b(?:is|are) (?:done |run |made )?(?:mine|by \w+ only)\W*$"
    r"|\b(?:not allowed|forbidden|banned|prohibited|verboten|off[- ]limits|no-?go)\b"
    r"|^(?:use|nutze|nimm)\s.*\b(?:rather than|instead of|statt)\b"
)
# "No VPN any more" and "we never had trouble with it" tell what is, or was.
TELLS = kept(
    r"^(?:no|keine?)\b.*\b(?:any ?more|any longer|yet|mehr)\b"
    r"|\b(?:i|we|they|it|he|she)(?:['’]ve|\s+have|\s+has)?\s+never\s+(?:had|saw|seen|got|been|was|were|did|ran|\w+ed)\b"
    r"|\bnever\s+(?:had|saw|seen|got|been|was|were|did|happened)\b"
    r"|^no\b[^,;]*\b(?:was|were|been|(?:is|are)\s+(?:needed|required|necessary|known|used))\b"
    r"|\b(?:hatten?|gab|war|waren)\b.*\b(?:nie|niemals|keine?n?)\b"
    r"|^keine?n?\b.*\b(?:seit|bisher|war|waren|wurden?|nötig)\b"
)
# What is always to be given to some command: "always use --no-cache when you build images".
WANTS_OPTION = kept(r"^(?:\w+\s+){0,2}(?:always|immer)\b.*\s`?--[a-z]|\b(?:only with|nur mit)\s+`?--[a-z]")
# What may be done; and not what "is not allowed".
PERMITS = kept(
    r"^(?!.*\b(?:not|never|no|nicht|nie|kein\w*|only|nur|unless)\b)"
    r"(?:it['’]?s (?:fine|ok|okay|alright) to\b|(?:you|agents) (?:may|can)\b|du darfst\b"
    r"|.*\b(?:is|are|ist|sind) (?:fine|ok|okay|allowed|permitted|erlaubt|in ordnung)\W*$)"
)
# Behind what is permitted: nothing that says where or when.
PERMITTED_WHOLLY = kept(
    r"\W*(?:without asking|(?:is|are|ist|sind) (?:fine|ok|okay|allowed|permitted|erlaubt|in ordnung))?\W*"
)
ORDERS = kept(
    r"^(?:always|only|nothing|whenever)\b|\bonly (?:with|inside|from|by)\b|\bpermission for\b|\bread[- ]only\b"
)
# A ban and a wish to be asked in other words than these.
SOUNDS_BANNED = kept(
    r"^(?:nobody|no one|niemand|keiner)\b|\boff the table\b|\b(?:is|are) (?:sacred|frozen|untouchable)\b"
    r"|\b(?:it['’]?s|it is|is|are) (?:not|never) (?:ok|okay|acceptable|fine|permitted) to\b"
    r"|\b(?:nowhere else|nirgendwo sonst)\b|\b(?:fasst|rührt|ändert|macht) nur [^\W\d_]+\b"
    r"|\b(?:stays?|keep|hands) (?:(?:your|the) \w+ )?(?:out of|off|away from)\b"
    r"|\b(?:needs?|requires?|wants?|braucht|brauchen) (?:my|our|[\w-]+['’]s?|meine?n?) (?:approval|permission|consent"
    r"|review|sign-?off|ok|okay|go-ahead|zustimmung|freigabe)\b"
)
# What is somebody's to decide or to do: "is the platform team's business", "is up to Marta", "belongs to Renovate".
_WHO = r"(?:(?:the|our|a|an|my|your)\s+)?(?:[\w-]+\s+){0,2}?"
_THEIRS = (
    r"(?:own\s+)?(?:business|job|task|call|decision|territory|domain|responsibility|turf|matter|concern|duty|realm)\b"
)
_WHOM = r"(?:[\w-]+\s+){0,3}[\w-]+"
OWNED = kept(
    rf"\)?\s+(?:is|are|stays?|remains?)\s+(?:(?:still|not|none of|always|entirely|strictly)\s+)*(?:"
    rf"{_WHO}(?:[\w-]+['’]s?|your|my|our|his|her|their)\s+{_THEIRS}|(?:an?\s+|the\s+)?(?:human|person|team|maintainer)\s+"
    rf"{_THEIRS}|(?:a |the )?(?:matter|job|task|decision|question) for\b|yours\b|reserved for\b"
    r"|up to (?!date\b|now\b|\d|speed\b|you\b)|for (?:maintainers|humans|the \w+ team)\b"
    rf"|something (?:that |which )?(?:only )?{_WHO}[\w-]+ (?:decides?|does|do|owns?|handles?|manages?)\b"
    rf"|(?:owned|maintained|managed|decided|handled) by (?P<by>{_WHOM}))"
    rf"|\s+belongs? to (?P<whose>{_WHOM})"
)
OWNS = kept(
    rf"(?:^|[,;:]\s+)(?P<who>{_WHO}[\w-]+)\s+(?:owns?|maintains?|manages?|handles?|decides? (?:on|about)|looks? after"
    r"|(?:is|are) (?:responsible for|in charge of))\s+(?:(?:the|all of|our)\s+)*$"
)
PEOPLE = kept(
    r"\b(?:teams?|people|humans?|persons?|folks|guys|(?:dev)?ops|sres?|dbas?|qa|legal|security|leads?|managers?|owners?"
    r"|maintainers?|bots?|departments?|somebody|someone|others?|admins?|architects?|designers?)\b"
)
# What says when, or that something is to be done; with a word for what agents do by calls it sets a condition.
DEMANDED = kept(
    r"\b(?:must|has to|have to|needs? to|always|make sure|ensure|only|immer|muss|müssen|nur)\b"
    r"|^(?:before|after|whenever|if|bevor|vor|nach|wenn)\b|\b(?:before|after) (?:you|we|each|every|any)\w*\b"
    r"|\b(?:is|are) (?:\w+ )?\w+ed (?:together|first|before|after|with|by)\b"
    r"|^(?:commits|pull requests|prs|deploy\w*s|releases|migrations|merges|pushes|changes to [\w-]+)\b[^,;]*"
    r"\b(?:are \w+ed|have|happen|wait|get)\b"
)
ACTS = kept(
    r"^(?!(?:i|we) (?:prefer|like|love)\b).*\b(?:push|commit|merg|rebas|deploy|releas|publish|install|migrat|migrier"
    r"|upgrad|format|lint|test|delet|edit|touch|chang|modif|run\b|runs\b|restart|remov|tag\b|tags\b|regenerat"
    r"|sign\b|signed\b|pull request|prs?\b|schema|generated|docs\b|updat)"
)
ASKED_FIRST = kept(
    r"\bask (?:me|first|before)\b"
    # Whatever the language and the form: a word that denies, with one for what agents do.
    r"|^(?=.*\b(?:never|nothing|nobody|don['’]?t|do not|nie|niemals|nichts|keine?n?|nunca|nada|jamais|pas|rien)\b)"
    r".*\b(?:push|commit|merg|rebas|deploy|install|amend|tag)(?:s|es|e|en|ing|ed|er)?\b"
    # "Only deploy from the release branch", "deploys only from main".
    r"|^only\s+(?:ever\s+)?(?:push|commit|merge|rebase|deploy|install|amend|tag|release|publish)\b"
    r"|^(?:push|commit|merge|rebase|deploy|install|release|publish)(?:s|es|ments?)?\s+only\b"
)
USES = kept(r"\b(?:use|run|prefer|nutze|nimm|verwende)\b")
LEFT_ALONE = kept(
    rf"\b(?:bearbeite|ändere|lösche|editiere)\s+(?:nie|niemals|nichts)\s+(?:(?:die|dateien|datei|in|unter)\s+)*{_LIST}"
    rf"|(?:^|[,;:]\s+(?:so |and |but )?)(?:please )?leave\s+(?:the\s+)?{_LIST}\s+(?:folder\s+|file\s+)?alone\b"
    rf"|\bhands off\s+(?:the\s+|of\s+)*{_LIST}"
    rf"|\bfass\w*\s+(?:(?:die|dateien|datei|in|unter)\s+)*{_LIST}\s+(?:nicht|nie|niemals)\s+an\b"
)
# "When I run it, it fails", "I got this error when running it" is a report.
REPORTS = kept(r"\bi(?:['’]m)?\s+(?!want|need|expect|prefer|say|ask|tell)\w+")
CHANGES = kept(
    rf"\b(?:after|when|whenever|once|if|every time|each time|on|nach|wenn)\b[^.;]*?\b(?:{EDIT}|change|edit|modif|änder)"
)
# What an error is called: in quotes, in backquotes, or a code such as ECONNREFUSED or NU1301.
_ERROR = (
    rf"""(?:["'](?P<error>[^"']{{4,200}})["']|(?P<named>{MENTION})"""
    r"|(?:error )?(?P<code>(?:[a-z]{1,4}\d{3,5}|e[a-z]{5,})\b))"
)
FAILS = kept(
    rf"(?:\b(?:when|if|wenn)\s+)?(?P<what>{MENTION})\s+(?:[\w-]+\s+)?(?:fails?|dies|crashes|breaks|stops|exits|errors"
    rf"|hangs|errors out|complains) (?:with|about|because of)\s+{_ERROR}"
)
COMES = kept(
    r"(?<!\beven )\b(?:when|whenever|if)\s+(?:(?:you|we|i|it)\s+)?"
    r"(?P<seen>(?:see|get|hit|run into|encounter)\s+|(?:[\w-]+\s+){1,3}?(?:fails?|dies?|crashes|breaks?|stops?"
    r"|exits?|errors?(?: out)?|complains?) (?:with|about)\s+)?"
    r"(?:(?:the|an?|error|message)\s+)*"
    rf'(?:"(?P<error>[^"]{{5,200}})"|(?P<what>{MENTION}))(?P<comes>\s+(?:comes up|appears|shows up|occurs|is thrown))?'
)
_COMES_FROM = r"(?:comes? (?:out of|from)|(?:is|are) (?:made|written|produced|created) by)\b"
SUBJECT = kept(
    rf"(?:^|,\s+but\s+)(?:the\s+(?:(?:file|folder|directory)\s+)?|running\s+|du darfst\s+|bitte\s+"
    rf"|(?:all |the )*files (?:in|under)\s+|everything (?:in|under)\s+)?(?P<what>{MENTION})"
    r"\s+(?:(?:folder|file|files|directory|command|script)\s+)?"
    r"(?:(?:of|on|for|in) (?:any|every)thing else )?(?:without (?:\w+ ){0,2}\w+ )?"
    r"(?P<says>must|needs?|requires?|should|has to|have to|only works?|only runs?|only happens?|fails?|hangs?|takes"
    rf"|costs?|will|wipes?|deletes?|destroys?|breaks?|resets?|overwrites?|drops?|can['’]?t|cannot|{_COMES_FROM}"
    r"|(?:is|are) (?:auto-?generated|generated|read[- ]?only|frozen|immutable|vendored"
    r"|(?:blocked|unavailable|not available|not supported|not installed|disabled)"
    r"(?=\s*(?:$|[,.;:(])|\s+(?:here|because|so|by (?!default)))"
    r"|dangerous|destructive|deprecated|legacy|never|not to be|slow|broken|flaky)"
    r"|(?:forbidden|banned|prohibited|verboten|not allowed|off[- ]limits)(?=\s*(?:$|[,.;!(]))|not(?=[.!\s]*$)"
    r"|(?:ist|sind) (?:verboten|tabu|ein no-?go)|muss|braucht"
    r"|(?:bitte )?(?:nicht|nie|niemals) (?:verwenden|benutzen|nutzen|ausführen|aufrufen|starten|machen))\b"
)
WILL_DO = kept(
    rf"{_COMES_FROM}|(?:keep|use|do|run|put|write)\b|(?:must|should|will|has to|have to|needs? to|can['’]?t|cannot)\s+"
    r"(?!(?:(?:not|never|always|only|also|just|still)\s+)*(?:be|run|go|happen|use|come|wait|start|stay|finish|pass|have"
    r"|get|take|delete|wipe|destroy|break|reset|overwrite|drop|hang|fail|remove|restart|stop|prompt|need)\b)[a-z]"
)
# "`make lint` must pass before you push" is told at the push.
MUST_PASS = kept(
    r"(?:must|should|has to|have to|needs? to)\s+(?:pass|succeed|run|be (?:green|clean|run))\b.*\bbefore\b"
)
HEADED = kept(
    rf"^(?P<what>{MENTION})\s*:\s+(?P<says>ask|keep|use|do|don['’]?t|never|always|only(?! with )|no|must|run|put|write"
    r"|read[- ]?only|off[- ]limits|frozen)\b"
)
# Of what the sentence before it names.
BAN_ALONE = kept(
    r"(?:(?:so|please|just|bitte)\s+)*(?:don['’]?t|do not|never|nie|niemals|hands off|finger weg|lass es)"
    r"(?:\s+(?:ever|please|bitte|do (?:it|that)|touch (?:it|that)))*[.!\s]*"
)
# What was named before is meant: "dist/ is built, don't edit it", "... wipes the data. Never do it!"
PRONOUN = kept(
    rf"\b{NOT}\s+{ADVERBS}(?P<verb>{RUN}|{EDIT})(?:\s+(?:it|this|that|(?P<many>them|these|those)))?"
    r"(?=\s*(?:$|[.!,;:(])|\s+(?:by hands?|manually|directly|yourself|again|without|unless|ever)\b)"
)
# The same, in other words than a ban.
LEAVE = kept(
    r"\b(?:(?:leave|keep)\s+(?:it|them|that|this|those)\s+(?:alone|untouched|as (?:it|they) (?:is|are))"
    r"|(?:stay|keep)(?: your (?:hands|fingers|paws))? (?:away from|out of|off)\s+(?:it|them|there|that)"
    r"|hands off|nichts (?:daran|darin|dort) (?:\w+ern|\w+eiten|edit)(?=\W*$))"
    r"\b(?!\s+(?:of|the)\b)"
)
FORBIDDEN = kept(r"\b(?:never|must not|should not|not to be|(?:nicht|nie|niemals) \w+en)\b")
# "README.md must never be longer ..." wants something of the file, and lets it be changed.
DEMANDS = kept(
    r"(?:never|must not|should not)\s+(?:ever\s+)?(?!(?:the|an?|our)\s+(?:\w+\s+)?(?:answer|option|solution|way"
    r"|idea|fix)\b)(?!(?:to\s+)?(?:be\s+)?(?:\w+ly\s+)?"
    r"(?:edit|hand-edit|touch|chang|modif|overwr|rewr|writ|alter|updat|reformat|replac|regenerat|delet|remov|mov"
    r"|renam|commit|push|check|stag|add|run|us|call|execut|invok"
    r"|start|happen|appl|forc|merg|rebas|deploy|publish|install|do|go|come)\w*)\w"
)
NEEDS_PERSON = kept(
    r"\bask (?:me )?(?:first|before)\b|\b(?:needs?|requires?) my (?:ok|okay|approval|permission|go-ahead|consent)\b"
)
# What waits for an answer of the person's, and not for a word that they may have said already ("unless I tell you").
_LEAVE = (
    r"(?:(?:my|our|your|the|any|user|user['’]s|me|first|explicit|explicitly|prior|written|clear|ever|even|getting)\s+)*"
    r"(?:asking|approval|permission|consent|confirmation|confirming|ok|okay|go-ahead|sign-?off|rückfrage|nachfrage"
    r"|zu fragen)\b"
)
WANTS_ASKING = kept(
    r"\bask(?:ing)? (?:me|us|first|before|the user)\b|\b(?:check|confirm|clear it) with (?:me|us|the user)\b"
    rf"|\bwithout\s+{_LEAVE}|\b(?:needs?|requires?|get|obtain|wait for)\s+(?:my|our|the user['’]s)\s+{_LEAVE}"
)
# Around a mention these turn it into its opposite, or into one case of several.
TURNED = kept(
    r"\b(?:outside|except|(?<!against anything )other than|apart from|but not|only in|anything but|besides|außer)"
    r"\b(?! ci\b)"
)
# What stands before says what is allowed.
BUT_NOT = kept(rf",?\s+but\s+(?:please\s+)?(?={NOT}\b)")
# A list under a line: "Never:", "Always ask before:".
HEADS_LIST = kept(rf"^(?:(?:please|you|we|must|should|may)\s+)*(?:{NOT}\b|(?:always )?ask\b.*\bbefore\b)[^.]*$")
LIST_ITEM = kept(r"^\s*(?:[-*•]|\d+[.)])\s+")
# What production may be beside a branch.
_NO_BRANCH = r"(?!\s+(?:domain|servers?|environment|database|db|systems?|sites?|data|cluster|hosts?|flow|config\w*)\b)"
_BRANCH = (
    r"(?:main|master|develop|trunk|(?:release|hotfix)(?= branch(?:es)?\b)"
    rf"|(?:production|staging|stable){_NO_BRANCH}|gh-pages|default|{MARK}[\w./*-]*[\w*])"
)
_AND_ON = r"(?:\s*[/,]\s*|\s+(?:or|and|nor|oder|und)\s+)(?:(?:not|nor)\s+)?(?:(?:on|to|from)\s+)?(?:(?:any|the)\s+)?"
_BRANCHES = rf"{_BRANCH}(?:{_AND_ON}{_BRANCH})*"
# Behind a command these say for what alone it is meant, which no condition can tell.
_EVERYWHERE = (
    rf"(?:a |an |the |this |our |my |any |every |your |remote )*(?:{_BRANCH}|repo\w*|project\w*|codebase|machine"
    r"|box|laptop"
    r"|workspace|monorepo|shell|terminal|console|computer|sandbox|you can|possible|\w+days?|weekends?"
    r"|release day|time|own|everything|anything|all|scripts"
    r"|installs?|installing|packages?|package management|dependencies|deps"
    r"|(?:(?:shell |project |package |terminal )?commands|(?:shell|bash) (?:command|call|line)s?)"
    r"|remote|origin|upstream|github|gitlab|branch(?:es)?(?!\s+(?!without|unless|until|before|after|because"
    r"|since|that|directly|when)[^\W\d_]{4,}))\b(?!/)"
    # "For shell scripting", "in the branch names", "in scripts under tools/" is somewhere.
    r"(?!\s+[a-z]+ing\b|\s+(?:names?|titles?|descriptions?|messages?|comments?|under|below|inside|within|that|which"
    r"|whose|like|of|in(?! general))\b)"
)
_SERVERS = r"(?:in)?to (?:the |our |any )?(?:servers?|hosts?)\b"
LIMITED = kept(
    rf"(?:\s+\w+ly)?\s+(?!{_SERVERS})(?:to\s+(?!me\b|{_EVERYWHERE})[a-z]"
    rf"|(?:for|on|in|with|inside|as|when|while|during|after|um|für|auf|bei)\b(?!\s+{MENTION}|\s+{_EVERYWHERE}))"
)
# A member of a list that names no command that is known.
LISTS_MORE = kept(
    rf"\s*(?:,\s*)?\b(?:or|nor|oder)\s+(?!(?:any|even|i|you|we|else|{NOT}|{RUN}|{EDIT}|{READ}|push|commit|merge|rebase)\b)[a-z]"
)
# Behind a command these leave it as it is, a whole; whatever else stands there says which of its calls are meant.
_HOW = (
    r"directly|manually|blindly|simply|locally|automatically|immediately|silently|unilaterally|ever|again|please|plz"
    r"|pls|by default"
    r"|thanks|here|anymore|any ?(?:more|longer)|yourself|myself|ourselves|unasked|on (?:your|its|their) own|first|too"
    r"|by (?:hands?|yourself|itself)|in (?:my|our) name|in here|at all"
    r"|anywhere|everywhere|for any reason|for me|for us|in general"
    r"|on (?:my|your|the user['’]s) behalf|straight|either|instead|today|alone|myself|yet|whatsoever"
    r"|direkt|einfach|bitte|mehr|hier|selbst|nochmal|jemals|manuell|von hand|lokal|wieder|ausführen|benutzen|nutzen"
    r"|verwenden|machen|aufrufen|starten|laufen lassen|einsetzen"
)
_NEXT_CLAUSE = (
    r"without|unless|until|till|when|whenever|while|during|if|once|before|after|because|since|as (?:it|they|this"
    r"|that|we)|or|but|nor|so|otherwise|even|is|are|it|rather|use|just|always|never|not|no|do|don['’]?t|only|ask|except"
    r"|outside|besides"
    r"|we|you|i|and (?:always|use|ask|never|do|don['’]?t|please)|wenn|bevor|ohne|außer|weil|denn|sonst|sondern|oder"
    r"|aber|ist|sind|nutze|nimm|verwende|in diesem (?:repo|projekt)|zu"
)
WHOLE = kept(
    rf"(?:\s+(?:the\s+)?{_BRANCHES}(?:\s+branch(?:es)?)?)?"
    rf"(?:\s+(?:(?:any|the|your|my|our|git)\s+)*(?:anything|code|changes|commits|stuff|work|branches"
    rf"|(?:cli )?commands?|cli))?(?:\s+(?:{_HOW})\b)*"
    rf"(?:\s*(?:$|[,.;:!?()–—])|\s+(?:[-–—]|(?:{_NEXT_CLAUSE})\b|(?:in|on|for|to|from|at|across|with|inside|within|into"
    rf"|onto|auf|im)\s+{_EVERYWHERE}|{_SERVERS}))"
)
# Behind a verb for an everyday command these alone leave each such call.
EACH = kept(
    rf"(?:\s+(?:{_HOW})\b|\s+(?:in|on|for|to|from|at|across|within|into|onto|auf|im)\s+{_EVERYWHERE})*"
    rf"(?:\s*(?:$|[,.;:!?()–—])|\s+(?:[-–—]|(?:{_NEXT_CLAUSE}|with|and|to me)\b))"
)
# What a program is given is meant, and not each call of it: "never curl the live system", "don't add npm packages".
ONLY_OF = kept(
    rf"\s+(?!{_SERVERS})(?!(?:the|an?) (?:\w+ )?(?:answer|option|solution|way|idea)\b)(?:(?:to|into|against|from"
    rf"|the|a|an|our|your)\s+(?!me\b)\w|packages?\b|dependenc|modules?\b"
    r"|librar|commands?\s+(?:to|after|when|while)\b)"
)
_SOMEWHERE = (
    rf"(?!{_EVERYWHERE}|no\b|any\b|all\b|every\b|a rule\b|general\b|the future\b|future\b"
    r"|(?:\w+\s+){0,3}(?:reasons?|sake|love|record|safety|security|sanity|consistency|clarity)\b)"
)
# What begins with one of these is meant there alone, unless it says why, or always.
OPENS = kept(rf"^(?:for|with|at|as|in|on|inside|within|under|beim?|für)\s+{_SOMEWHERE}")
# So is what ends with one of them: "never npm, in the app folder".
CLOSES = kept(rf",\s+(?:for|at|in|on|inside|within|under|beim?|für)\s+{_SOMEWHERE}[^,;]*$")
SOME_PLACE = kept(
    rf"\b(?:in|on|inside|within|under)\s+(?!(?:the |your |its |a )?(?:commit )?(?:message|title|body|subject|terminal))"
    rf"{_SOMEWHERE}"
)
SOME_PURPOSE = kept(rf"\b(?:for|against)\s+(?!an?\b|me\b|us\b|your\b){_SOMEWHERE}")
ELSEWHERE = kept(rf"{MENTION}\s+(?:in|on|inside|within|under)\s+{_SOMEWHERE}[^;]*$")
FOR_SOME = kept(rf"{MENTION}\s+(?:for|in|on|inside|within|under)\s+{_SOMEWHERE}[^,;]*$")
# "Plain scripts, not pytest modules" is about modules.
NOUN = kept(r"\s+(?:modules?|scripts?|files?|code|images?|packages?|syntax|style|configs?|classes|functions|types)\b")
LED = kept(rf"^(?:when|while|if|for|in|on|during|wenn|beim?)\s+{_SOMEWHERE}[^,]*?,?\s*(?:always |please |use |\W)*$")
WITH = kept(
    rf"\s+(?:\w+\s+){{0,3}}?(?:with|through|via|using|needs?|requires?)\s+(?:the\s+|an?\s+)?(?P<what>{MENTION})"
)
WITHOUT = kept(
    rf"\s*(?:(?:\S+\s+){{0,2}}?(?:without|ohne)|(?:\s*\w+)?[,;:]\s*(?:always|only)(?:\s+(?:use|run"
    rf"|it))*\s+with)\s+(?:the\s+)?"
    rf"(?P<what>{MENTION}(?:\s*(?:,|/|\bor\b)\s*{MENTION})*)"
)
WITH_OPTION = kept(
    r"(?:\s+(?:with|needs?|requires?)|:\s+always)\s+(?:the\s+)?"
    rf"(?P<what>--?[a-z][\w-]*(?:=[\w./:-]*\w)?|{MENTION})"
)
RUN_WITH = kept(rf"^(?:(?:always|please|we|you)\s+)*(?:run|use|start|call)\s+(?:the\s+)?(?P<what>{MENTION})")
# What is done to a file; and what is made by a program, of which the folder may tell.
CHANGE = kept(
    r"\b(?:edits?|make|hand-edit|touch|chang|modif|overwrit|rewrit|writ|alter|updat|reformat|replac|regenerat|bump|patch"
    r"|upgrad|tweak|mess|fiddle)\w*"
)
TAKE_AWAY = kept(r"\b(?:delet|remov|mov|renam)\w*")
MADE = kept(r"\b(?:auto-?)?(?:generated|compiled|vendored|minified|built)\b")
MADE_THERE = kept(r"gen|dist|build|vendor|third.?party|out$|output|target|node_modules|compiled|auto|proto|pb|stubs")
BUT_RATHER = kept(rf"^not\s+(?P<worse>{MENTION}),?\s+(?:but|rather|sondern)\s+(?:use\s+|run\s+)?(?P<better>{MENTION})")
REPLACED = kept(
    r"^(?:(?:we|please|always|have|has)\s+)*"
    r"(?:(?:replaced?|swap|switch(?:ed)?|moved?|migrated?|changed?)\s+(?:from\s+)?)?"
    rf"(?P<worse>{MENTION})\s*(?:->|=>|→|⇒|\bwith\b|\bby\b|\bto\b|\bfor\b)\s*(?P<better>{MENTION})\W*$"
)
_WHERE = r"(?:from|on|in|at|inside|against|under|when|if|after|during|while)\b"
ONLY = kept(
    r"^(?:(?:please|we|you|always|should|must|may)\s+)*"
    rf"(?:only\s+(?:ever\s+)?{RUN}\s+(?:the\s+)?(?P<what>{_LIST})\s+(?P<where>{_WHERE}.*)"
    rf"|{RUN}\s+(?:the\s+)?(?P<run>{_LIST})\s+only\s+(?P<from>{_WHERE}.*))"
)
# "rm -rf only inside build/": everywhere else it is forbidden.
ONLY_IN = kept(
    rf"^(?:(?:run|use)\s+)?(?P<what>{MENTION})\s+only\s+(?:inside|within|under|below|in|on)\s+(?P<where>{_LIST})\W*$"
)
# Where something is pushed to is a branch, whatever its name: "never push to canary"; but for these.
TO_BRANCH = kept(
    rf"(?:\b(?:push|merg|commit)\w*|{MENTION})\s+(?:(?:directly|straight|anything|code|changes|stuff)\s+)*(?:in)?to\s+"
    r"(?:the\s+)?(?!(?:origin|upstream|remotes?|git\w+|forks?|servers?|repo\w*|it|them|this|that|any\w*|me|us|my"
    r"|our|your"
    r"|a|an|its|their|other|public|shared|protected)\b)(?P<name>[^\W\d_][\w-]+)"
    r"(?:\s+branch)?(?=\s*(?:$|[,.;:!?(])|\s+(?:on|without|unless|until|or|before|after|directly|yourself|ever)\b)"
)
BRANCH = kept(
    rf"\b(?:to|on|onto|into|from|auf|push|pushing|rebase|rebasing)\s+(?:the\s+)?(?:branch\s+)?(?P<names>{_BRANCHES})(?!\w)"
)
