"""The marks that experiments leave on timelines, each by a pattern, in plain words of two languages, short and long."""

import re


def _pattern(
    fits: str, english: tuple[str, str], chinese: tuple[str, str]
) -> tuple[re.Pattern[str], tuple[str, str], tuple[str, str]]:
    return re.compile(fits, re.DOTALL), english, chinese


_EVENT = r"database \w+ event \d+ by (?P<door>\w+): "
PATTERNS = (
    _pattern(
        _EVENT + "admitted", ("admitted", "The run is admitted to the queue."), ("受理", "运行被受理，进入队列。")
    ),
    _pattern(
        _EVENT + r"granted(?: (?P<what>.+))?$",
        ("granted", "Granted at the door “{door}”: one worker may write now, under a new fence."),
        ("授权", "经入口“{door}”授权：从此只有一个工作进程可以写入，凭新的围栏令牌。"),
    ),
    _pattern(
        _EVENT + r"released",
        ("released", "The worker hands the run back; its lease ends."),
        ("交还", "工作进程交还运行，租约结束。"),
    ),
    _pattern(
        _EVENT + r"intended (?P<call>.+)",
        ("intent", "Before anything is sent, the intent of {call} is written down, with the most it can cost."),
        ("意向", "发送之前，先写下{call}的意向及其费用上限。"),
    ),
    _pattern(
        _EVENT + r"answered (?P<call>.+)",
        ("recorded", "The answer of {call} is recorded, with what it cost."),
        ("入账", "{call}的应答及其费用被记录。"),
    ),
    _pattern(
        _EVENT + r"lost (?P<call>.+)",
        ("unknown", "Nobody knows what became of {call}: it is marked unknown, and the money for it stays on hold."),
        ("未知", "没有人知道{call}结果如何：标记为未知，其费用继续被预留。"),
    ),
    _pattern(
        _EVENT + r"published",
        ("published", "A result is published in the history."),
        ("发布", "一份结果发布到历史中。"),
    ),
    _pattern(
        _EVENT + r"reconciled (?P<call>.+)",
        ("resolved", "Evidence says what became of {call}; it is unknown no more."),
        ("查明", "证据说明了{call}的结果，不再是未知。"),
    ),
    _pattern(
        _EVENT + r"sealed",
        ("sealed", "The run is sealed: it may do nothing more, and waits for evidence on what is unknown."),
        ("封存", "运行被封存：不能再做任何事，只等未知调用的证据。"),
    ),
    _pattern(
        _EVENT + r"ended", ("end", "The end of the run is written, once."), ("终结", "运行的终态被写入，仅此一次。")
    ),
    _pattern(
        _EVENT + r"sent_again (?P<call>.+)",
        ("re-sent", "{call} is to be sent once more, under the same id."),
        ("重发", "{call}将以同一编号再发送一次。"),
    ),
    _pattern(
        _EVENT + r"waited(?: (?P<what>.+))?",
        ("waits", "A checkpoint is sealed and the run waits; it holds no lease and no worker."),
        ("等待", "检查点封存，运行开始等待；不再持有租约，也不占用工作进程。"),
    ),
    _pattern(
        _EVENT + r"decided(?: (?P<what>.+))?",
        ("decided", "A person's decision is recorded."),
        ("决定", "人的决定被记录。"),
    ),
    _pattern(
        _EVENT + r"arrived_late",
        ("late", "A callback came too late: it is kept, and wakes nobody."),
        ("迟到", "回调来得太迟：予以保存，但不唤醒任何运行。"),
    ),
    _pattern(_EVENT + r"arrived", ("callback", "A callback has come and is kept."), ("回调", "回调到达并被保存。")),
    _pattern(
        _EVENT + r"cancel_requested",
        ("cancel", "Somebody asked that the run be stopped: from here on it begins nothing new."),
        ("取消", "有人请求停止运行：从此不再开始任何新的事。"),
    ),
    _pattern(
        r"(?P<lane>model|tool) request \w+ arrived (?P<call>\S+?)(?:: .*)?$",
        ("request", "Outside, the request for {call} has arrived."),
        ("请求", "外部收到了{call}的请求。"),
    ),
    _pattern(
        r"(?P<lane>model|tool) commit \w+ acted (?P<call>\S+?), (?P<cents>-?\d+) cents",
        ("acts", "Outside, {call} takes effect and costs {cents} cents, whatever the system gets to know."),
        ("生效", "外部：{call}已经生效，花费 {cents} 分，无论系统是否得知。"),
    ),
    _pattern(
        r"(?P<lane>model|tool) answer \w+ answered (?P<call>\S+)",
        ("answer", "Outside, {call} is answered."),
        ("应答", "外部已应答{call}。"),
    ),
    _pattern(
        r"(?P<lane>model|tool) answer \w+ cut (?P<call>\S+?)(?:: .*)?$",
        ("cut", "The connection of {call} is reset: the answer reaches nobody."),
        ("切断", "{call}的连接被重置：应答没有到达任何人。"),
    ),
    _pattern(
        r"(?P<lane>model|tool) evidence lookup \w+ (?P<call>\S+?)(?:[,:] .*)?$",
        ("look-up", "The tool is asked under the id of {call} what became of it."),
        ("查询", "按{call}的编号向工具查询其结果。"),
    ),
    _pattern(
        _EVENT + r"saved (?P<what>.+)",
        ("saved", "What was found is saved as material: {what}."),
        ("保存", "所得作为材料保存：{what}。"),
    ),
    _pattern(
        _EVENT + r"spawned(?: (?P<what>.+))?$",
        ("child", "A child run is started: {what}."),
        ("子运行", "启动一个子运行：{what}。"),
    ),
    _pattern(
        _EVENT + r"marked(?: (?P<what>.+))?$",
        ("branch", "The branch of a changed program that the run takes is recorded: {what}."),
        ("分支", "记录运行在改动后的程序中所走的分支：{what}。"),
    ),
    _pattern(
        _EVENT + r"assessed(?: (?P<what>.+))?$",
        ("assessed", "Somebody says whether the result is good."),
        ("评估", "有人评估结果是否良好。"),
    ),
    _pattern(
        r"(?P<lane>model|tool) refused \w+ refused (?P<call>\S+?): (?P<says>.+)",
        ("refused", "The outside refuses the request for {call}: {says}."),
        ("拒绝", "外部拒绝{call}的请求：{says}。"),
    ),
    _pattern(
        r"tool evidence (?P<what>callback .+?) came: (?P<outcome>\w+).*",
        ("callback", "From outside comes {what}: {outcome}."),
        ("回调", "外部到来 {what}：{outcome}。"),
    ),
    _pattern(
        r"recovery kill somebody asks that the run be stopped: (?P<outcome>\w+)",
        ("stop!", "Somebody asks that the run be stopped: {outcome}."),
        ("要求停止", "有人要求停止运行：{outcome}。"),
    ),
    _pattern(
        r"\w+ kill (?P<number>\d+) (?:workers )?are let go at once",
        ("race", "{number} of them are let go at the same moment, and race."),
        ("竞争", "{number} 方同时放行，开始竞争。"),
    ),
    _pattern(
        r"recovery kill (?P<user>.+?) may read (?P<source>.+) no more: (?P<outcome>\w+)",
        ("revoked", "The owner withdraws a grant: {user} may read {source} no more ({outcome})."),
        ("撤回", "所有者撤回授权：{user} 不得再读 {source}（{outcome}）。"),
    ),
    _pattern(
        r"database kill silent for the worker",
        ("silence", "From here on the worker hears nothing from its database."),
        ("沉寂", "从此工作进程听不到数据库的任何回音。"),
    ),
    _pattern(
        r"database recovery healed for the worker",
        ("healed", "The worker reaches its database again."),
        ("恢复连通", "工作进程又能连上数据库。"),
    ),
    _pattern(
        r"database recovery started again on what was left",
        ("restarted", "The database is started again on what was left on disk."),
        ("重启", "数据库在磁盘残留的内容上重新启动。"),
    ),
    _pattern(
        r"worker kill the clock of (?P<worker>.+) is (?P<seconds>[+-]\d+) s off",
        ("clock off", "The clock of {worker} is {seconds} seconds off from here on."),
        ("时钟偏斜", "从此 {worker} 的时钟偏差 {seconds} 秒。"),
    ),
    _pattern(
        r"database kill the store's clock jumps back by (?P<seconds>\d+) s",
        ("clock back", "The store’s clock jumps back by {seconds} seconds."),
        ("时钟倒跳", "存储的时钟倒跳 {seconds} 秒。"),
    ),
    _pattern(
        r"client kill (?P<who>.+?): their connections were reset",
        ("cut", "Clients {who}: their connections are reset."),
        ("切断", "客户端 {who}：连接被重置。"),
    ),
    _pattern(
        r"client recovery (?P<who>.+?): they have come back",
        ("back", "Clients {who} come back, with the last number that they have."),
        ("回来", "客户端 {who} 带着手里最后的编号回来。"),
    ),
    _pattern(
        r"worker kill SIGKILL: (?P<proof>.+)",
        ("killed", "The worker is killed by SIGKILL ({proof})."),
        ("杀死", "工作进程被 SIGKILL 杀死（{proof}）。"),
    ),
    _pattern(
        r"worker kill SIGSTOP: (?P<proof>.+)",
        ("asleep", "The worker is stopped in its tracks ({proof})."),
        ("冻结", "工作进程被原地停住（{proof}）。"),
    ),
    _pattern(
        r"worker recovery SIGCONT: (?P<proof>.+)",
        ("wakes", "The worker wakes and goes on as if nothing had happened ({proof})."),
        ("苏醒", "工作进程苏醒，若无其事地继续（{proof}）。"),
    ),
    _pattern(
        r"worker recovery (?P<bundle>\S+) is deployed",
        ("release", "A new release, {bundle}, is rolled out while the run waits."),
        ("新版本", "运行等待期间，新版本 {bundle} 上线。"),
    ),
    _pattern(
        r"tool recovery its schema changes",
        ("schema", "The tool changes the form of its arguments."),
        ("新模式", "工具改变了参数的模式。"),
    ),
    _pattern(
        r"database refused late (?P<command>\w+) of the dead worker: Refused\(reason=<Reason\.\w+: '(?P<reason>\w+)'>",
        ("refused", "A late write ({command}) in the name of the dead worker is refused: {reason}."),
        ("拒绝", "以已死工作进程名义的迟到写入（{command}）被拒绝：{reason}。"),
    ),
    _pattern(
        r"database \w+ late (?P<command>\w+) of the dead worker: (?P<outcome>.+)",
        ("late", "A late write ({command}) in the name of the dead worker was not refused: {outcome}."),
        ("迟到写入", "以已死工作进程名义的迟到写入（{command}）没有被拒绝：{outcome}。"),
    ),
    _pattern(
        r"recovery \w+ Recover again: Refused\(reason=<Reason\.\w+: '(?P<reason>\w+)'>",
        ("refused", "Recovery comes once more and is refused: {reason}."),
        ("拒绝", "恢复再次到来，被拒绝：{reason}。"),
    ),
    _pattern(
        r"recovery \w+ Recover: Refused\(reason=<Reason\.\w+: '(?P<reason>\w+)'>",
        ("refused", "Recovery comes and is refused: {reason}."),
        ("拒绝", "恢复到来，被拒绝：{reason}。"),
    ),
    _pattern(
        r"recovery \w+ Recover again: Done",
        ("recovered", "Recovery comes once more, and is done."),
        ("恢复", "恢复再次到来，并已完成。"),
    ),
    _pattern(
        r"recovery \w+ Recover: Done",
        ("recovered", "Recovery finds the run without a live lease and settles it."),
        ("恢复", "恢复发现运行没有有效租约，于是清算。"),
    ),
    _pattern(
        r"recovery evidence looked up: (?P<number>\d+) unresolved",
        ("look-up", "What is unknown was looked up outside; {number} calls are still unresolved."),
        ("查询", "向外部查询了未知调用；仍有 {number} 个未决。"),
    ),
    _pattern(
        r"recovery evidence the bill for (?P<call>\S+): Done",
        ("bill", "The bill comes in: what {call} really cost."),
        ("账单", "账单到达：{call}的真实费用。"),
    ),
    _pattern(
        r"recovery evidence a person (?P<says>\w+) (?P<wait>\S+): (?P<outcome>\w+)",
        ("person", "A person {says} the request {wait}: {outcome}."),
        ("人工", "人对请求 {wait} 作出决定（{says}）:{outcome}。"),
    ),
    _pattern(
        r"worker seam (?:(?P<worker>\S+): )?(?P<seam>.+)",
        ("seam", "The worker stands at its seam “{seam}”."),
        ("接缝", "工作进程停在接缝“{seam}”处。"),
    ),
    _pattern(r"(?P<lane>model|tool) kill (?P<side>.+)", ("cut", "The fault: {side}."), ("切断", "故障：{side}。")),
    _pattern(
        r"database kill (?P<proof>.+)",
        ("struck", "The fault strikes the database: {proof}."),
        ("故障", "故障击中数据库：{proof}。"),
    ),
)
"""First what a mark says, as lane, shape and text; then how it is told in English and in Chinese."""
