"""A secret goes wherever it stands: what names it may stand far from it, in other languages, or not at all."""

from __future__ import annotations

import sys

import pytest

from holdfast.privacy import redact, redact_gate
from holdfast.privacy.redact import is_of_path

# Drawn at random, in no list of secrets.
LONG = "v7Kq2mVb9TzR4wLp8NdY3sHf"
UUID = "4b64b827-e742-444b-8f82-a2787cce9261"
HEX = "49af7ddddeceadc807b690fc8dcef8a5"
WORD = "Tramdub4821"
# As people make them: words, a number behind them, in parts, or letters that no word has.
WORDS = "tramdub-lostep-ferry-anvil7"
CAMEL = "tramdubFerry48"
SNAKE = "tramdub_ferry_482"
PARTS = "kqzt-8841-pfow-1878"
LETTERS = "rOzfkBtliP_ILj"

PHRASE = "tramdub-lostep-ferry-anvil"
SNAKED, DOTTED = "anvil_copper_ladder", "anvil.copper.ladder.falcon"
THREE = "copper-ladder-falcon"
SPACED = "anvil copper ladder falcon"
ODD = "vqfotstakwyaqpgehxzi"
PRINTED = "TQ4M7-X9BFP-2KLWZ-8RNVD-H3CYG"

NAMED = [
    # words alone, of which nothing but a password can be: in quotes, in settings, behind an option, said to be it
    "const dbPassword = 'anvilladder'",
    '"password": "anvil-ladder",',
    "<password>anvilladder</password>",
    "os.Setenv('PGPASSWORD', 'anvil_ladder')",
    "Server=db;Database=app;User Id=kim;Password=AnvilLadder;",
    "psql 'host=db user=kim password=anvilladder dbname=app'",
    "[client]\nuser=kim\npassword = AnvilLadder\n",
    "spring.mail.password = anvilladder",
    "credentials:\n  login: kim\n  password: anvil.ladder\n",
    "password: |\n  anvilladder\n",
    "MYSQL_PWD=anvil.ladder.ferry mysqldump app",
    'DB_PASSWORD="${DB_PASSWORD:-anvil_ladder}"',
    "helm upgrade app . --set db.password=anvilladder",
    "mount -t cifs //nas/s /mnt -o username=kim,password=anvilladder",
    "clickhouse-client --user kim --password anvilladder",
    "zip -P AnvilLadder -r out.zip dir",
    "mysql -ukim -panvilladder app",
    "curl -u kim:anvil-ladder https://nas.local/",
    "log in with user kim and password AnvilLadder",
    "mein Kennwort lautet AnvilLadder",
    "Das Passwort lautet standardmäßig „anvilladder“.",
    "the root password is `anvilladder` on all of them",
    "MySQL 登录账户为root，密码为 `anvilladder`。",
    "| user | password |\n|---|---|\n| kim | AnvilLadder |",
    "JWT_SECRET=AnvilLadder",
    # lists, and what programs and devices take without a name or print once
    f'passwords:\n  - "{WORD}"\n  - "{WORDS}"\n',
    f"snmp-server community {WORD} RW",
    f"enable secret {SNAKE}",
    f"winrs -r:db -u:kim -p:{WORD} ipconfig",
    f"isql -v MYDSN kim {WORD}",
    f"qemu-system-x86_64 -object secret,id=s0,data={WORD}",
    f"https://thingsboard.cloud/api/v1/{LONG[:20].lower()}/telemetry",
    f"Please use the following password to proceed to installation:\n\n{HEX}\n",
    f"the client secret that we got from them is {HEX}",
    f"provider :github, 'Iv1.8a61f9b3a7ab', '{HEX}'",
    # what a command prints that reads a secret, a sign before it or within it, a line between its name and its value
    "$ cat /run/secrets/db_password\nAnvilFalcon55!",
    f"$ kubectl get secret argocd -o jsonpath='{{.data.password}}' | base64 -d\n{THREE}",
    f"$ cat password.txt\n{THREE}\n",
    f'sqlcmd -S db -U sa -P "-{LONG[:10]}" -Q "select 1"',
    f"xfreerdp /u:kim /p:'{LONG[:4]}@{LONG[4:12]}' /v:srv01",
    f"git clone https://{LONG[:9]}+{LONG[9:]}=@git.acme.test/app.git",
    'User.objects.create_superuser("kim", "kim@acme.test", "anvil-482!!")',
    f"expected 200, got 403 (pat={LONG.lower()}{LONG.lower()})",
    # what stands in place of a variable that is missing
    f"const pat = process.env.AZURE_DEVOPS_PAT || '{LONG.lower()}{LONG.lower()}';",
    f'os.environ.get("AZURE_DEVOPS_PAT", "{LONG.lower()}{LONG.lower()}")',
    f'let key = env::var("RAILS_SECRET_KEY_BASE").unwrap_or("{HEX}{HEX}".to_string());',
    f"new Sequelize('shop', 'root', '{THREE}', {{ dialect: 'mysql' }});",
    f"jdbc:oracle:thin:app/{WORD[:6]}@{WORD[6:]}!@//db:1521/XE",
    # words joined by any sign, said or given, in the midst of a sentence
    f"the office wifi password is {SNAKED}, so it can connect",
    f"encrypt the backup with passphrase {THREE.replace('copper', 'anvil')} using gpg",
    f"unlock the vault with {PHRASE} before you run it",
    f"the encryption passphrase `{DOTTED}` when asked",
    f'gpg --batch --passphrase "{SNAKED}" -d f.gpg',
    f"bw unlock {DOTTED} --raw",
    f"jwt.sign({{ id }}, '{SNAKED}')",
    f"session({{ secret: '{SNAKED}', resave: false }})",
    f"KeePass master password: {SNAKED} (not for git)",
    # and where no rule knows the sentence, the program or the spelling
    f"the password of the printer at home is now {SNAKED}_river for all",
    "das Passwort vom Drucker war mal Anvil_Copper_Ladder_Falcon",
    f"kim's old pass {DOTTED} no longer works on the build host",
    f"SHARED_SECRET={SNAKED}_falcon",
    f"mysql -ukim -p'{SNAKED.title()}' -e 1",
    f"CREATE USER kim IDENTIFIED BY '{SNAKED}'",
    # what is spoken of once more, sessions as browsers export them, and names in more languages
    f"please rotate the token, the current one is {HEX} and it expires",
    f'{{"name":"sessionid","value":"{LONG.lower()}"}}',
    f"chave de API: {LONG.lower()}xw810j",
    f"user kim on >{WORD}x8 ~* +@all",
    # the rest of a key whose beginning was cut away
    f"MIIEpAIBAAKCAQEA{LONG * 2}\n{LONG * 2}\n-----END RSA PRIVATE KEY-----",
    # scripts that set no space between words, and their signs
    f"密码是{WORD}",
    f"密码：{WORD}",
    f"密码{WORD}",
    f"パスワードは{WORD}です",
    f"비번은{WORD}",
    f"PW는{WORD}",
    f"암호:{WORD}",
    # two names and two values, as in notes
    f"ID/PW: kim/{WORD}",
    f"ID/PWD-kim/{WORD}",
    f"username/password:kim/{WORD}",
    f"login/password-kim/{PHRASE}",
    f"아이디/PW:kim/{WORD}",
    f"melde dich mit kim und {WORD} an",
    # the same value again, where nothing tells of it
    f"PGPASSWORD={WORD}\n\nI also wrote {WORD} on the board",
    f"https://kim:tra#{WORD}@git.acme.test/app.git",
    # words that are joined to a password, and codes as they are printed
    f"redis-cli -h cache.internal -a {PHRASE} ping",
    f"ALTER USER 'app'@'%' IDENTIFIED BY '{PHRASE}';",
    f"requests.get(url, auth=('kim', '{PHRASE}'))",
    f"the wifi password is {THREE}",
    f'admin_password = "{THREE}"',
    f"passwort: {THREE}",
    # words alone, where they are said to be it or given in quotes
    f"the wifi password is {SPACED}",
    f"Das Passwort ist {SPACED}.",
    f'network={{\n  psk="{SPACED}"\n}}',
    f"passphrase: >-\n  {SPACED}",
    # the key of a call, what a link lets in with, and what is kept where secrets are
    f"SELECT pgp_sym_decrypt(c, '{SNAKE}') FROM t;",
    f"https://app.acme.test/reset/{LONG}",
    f"I put {UUID} into the vault",
    # every value of a secret of Kubernetes, and a value in a tag of its own
    f'kind: Secret\nstringData:\n  pin: "{WORD}"\n',
    f'<property name="passwd"><value>{SNAKE}</value></property>',
    # said before the word that tells of it
    f"type {CAMEL}! when it prompts for the password",
    f"NEO4J_AUTH=neo4j/{CAMEL}",
    # letters alone, where a name is given them
    f"const admin = {{ user: 'kim', pass: '{ODD}' }}",
    f"export ACME_TOKEN={ODD}",
    # a user and a password before a host, without a scheme
    f"register => kim:{WORD}@sip.acme.test/1234",
    f"mount_smbfs //kim:{WORD}@10.0.0.2/share /mnt",
    f'"apiKeys": ["{UUID}"]',
    # the column below a name, whatever parts the columns
    f"name,url,username,password\nacme.test,https://acme.test,kim,{WORD}",
    f"site;login;passwort\nacme;kim;{WORD}",
    # words with a space between them, where they are all that is given
    f'The passphrase of my key is "{SPACED}", ask no more',
    f"passphrase for the backup: {SPACED}",
    f"Meine Wiederherstellungsphrase lautet: {SPACED} {SPACED} {SPACED}",
    # codes and passwords in groups
    "GitHub recovery codes (keep safe):\n4821a-anvil\n4821b-anvil",
    # what a command prints
    f"$ op read op://prod/acme/key\n{HEX}",
    f"$ openssl rand -base64 24\n{LONG}pE5x",
    f"feishu: https://open.acme.test/open-apis/bot/v2/hook/{UUID}",
    f"AZURE_EXT_PAT := {LONG}",
    f"ask Kim whether {WORD} is still the password of the bank",
    f"la contraseña del servidor es {PHRASE} y el usuario kim",
    f"토큰은 {LONG} 입니다",
    f"new PDO('mysql:host=10.0.0.3;dbname=shop', 'kim', '{WORD}+C');",
    f"-----BEGIN OpenVPN Static key V1-----\n{HEX}\n-----END OpenVPN Static key V1-----",
    f"activation code {PRINTED}",
    f"recovery codes: {PRINTED}",
    # no rule knows the place; its name, its sign and its value together tell
    f"virustotal_key: '{HEX}'",
    f'acl {{\n  tokens {{\n    agent = "{UUID}"\n  }}\n}}',
    "RABBITMQ_ERLANG_COOKIE=" + "TRAMDXQZKFLPWVBNHGTR".replace("TRAMD", "NBXSX"),
    f"profile::db::password: '{WORD}'",
    f"it's admin/{WORD}, try again",
    f"the wifi key is {WORD}",
    f"Unseal Key 1: {LONG}pE5xQ2aZ7cG1uJ6kW0=",
    f'$hooksToken .= "{HEX}"',
    f'zendesk_TOKEN :::= "{HEX}{HEX[:8]}"',
    # places of their own
    f"kubeadm join 10.0.0.1:6443 --token tramdu.{HEX[:16]}",
    f'"felix" "md5{HEX}"',
    f"ACL SETUSER felix on >{WORD} ~* +@all",
    f"WIFI:T:WPA;S:Home;P:{WORD};;",
    f"schtasks /create /tn job /ru kim /rp {WORD} /sc daily",
    f"[smtp.acme.test]:587 relay@acme.test:{WORD}",
    f'felix : EAP "{WORD}"',
    f"felix:{HEX[:24]}@tcp(db.internal:3306)/app?parseTime=true",
    f"htpasswd -b -c /etc/nginx/.htpasswd felix {HEX[:24]}",
    f"auth-user-pass\nfelix\n{HEX[:24]}",
    f"<name>DEPLOY_PASSWORD</name><value>{SNAKE}</value>",
    f"bw unlock {PHRASE} --raw",
    f"login is felix / {PHRASE} on staging",
    f"creds are felix/{PHRASE}",
    f"log in as felix with {SNAKE} to the vpn",
    # between a name and its value stands a type, another sign, a word or an empty line
    f'var VAULT_TOKEN string = "{UUID}"',
    f"process.env.REGISTRY_PASS || '{WORD}'",
    f"ENV['service_role_key'] ||= '{UUID}'",
    f"client_secret?  {WORD}",
    f"nexusPassword:\n\n    {WORD}",
    f"vercel env add REGISTRY_PASS production <<< {WORD}",
    f"gh secret set CARGO_REGISTRY_TOKEN -b {UUID}",
    f"recovery_key changed to {UUID}",
    f"{{ get; set; }} public string AdminPassword {{ get; set; }} = '{WORD}'",
    f"consul kv put app/db/password {WORD}",
    f'os.environ["credentials"] = "{WORD}"',
    f"creds={WORD}",
    f"adminPassword.value = '{WORD}'",
    # a call or a field that takes it
    f'driver.find_element(By.ID, "password").send_keys("{WORD}")',
    f"await page.fill('#password', '{WORD}')",
    f"requests.get(u, auth=HTTPBasicAuth('bob', '{WORD}'))",
    f'mysqli_connect("db", "app", "{WORD}", "shop");',
    f"imaplib.IMAP4_SSL(h).login('bob', '{WORD}')",
    f"jwt.verify(tok, '{HEX}')",
    f"crypto.createHmac('sha256', '{LONG}')",
    f"client.withPsk('{WORD}x')",
    # a pipe
    f'printf "%s" "{WORD}" | docker secret create PASSWORD -',
    f"echo {WORD} | kinit bob@ACME.TEST",
    # a command's flag
    f"cypher-shell -u neo4j -p {WORD}",
    f"security add-generic-password -a bob -s svc -w {WORD}",
    f"codecov -t {UUID}",
    f"http -a bob:{WORD} GET api.acme.test",
    f"curl -u {HEX}: https://api.acme.test",
    f"snyk auth {UUID}",
    f"cargo login {LONG}",
    f"net user bob {WORD} /add",
    # a header or an address
    f"Authorization: SSWS 00{LONG}",
    f"sonar-scanner -Dsonar.login={HEX}",
    f"https://mainnet.infura.io/v3/{HEX}",
    f"https://api.telegram.org/bot1234567890:{LONG}abcdefgh123/getMe",
    f"https://api.acme.test/weather?q=x&appid={HEX}",
    # a password as people make one, in their own words
    "Das Passwort für den Staging-Server ist Sommer2024!",
    "Le mot de passe de la base de données est Tournesol!42",
    "la password è AmberSummer27",
    "it's Castle1969! for the admin password",
    "my login: bob@acme.test / H@rb0r900",
    "Zugangsdaten für den Kunden: m.huber / H@rb0r900",
    "identifiants : deploy / Zr8xqQ2t",
    "password: wdkUyEMLmGF?",
    "пароль: SLGiuB?nAIuf",
    '"password": ")&j0/zc&wmu!y="',
    "jdbc:mysql://db1/shop?user=root&password=dXr4Y#GSn5DT",
    # a word that a variable of the environment is given
    "DB_PASSWORD=sunflowerfield",
    "POSTGRES_PASSWORD: correcthorse",
    # what a second factor is made from, a key in another language, a tag of YAML, and a letter glued to a token
    "2FA seed: JBSWY3DPEHPK3PXPKRUG",
    f"voici ma clé API : {UUID}",
    f"dd_api_key: !!str {HEX}",
    "log: 7glpat-" + "ab12cd34ef56gh78ij90",
    # a password of words or of letters alone, wherever one is given
    f'page.fill("#password", "{WORDS}")',
    f'let password = String::from("{CAMEL}");',
    f"password: process.env.PW || '{CAMEL}',",
    f"./gradlew publish -PsigningPassword={CAMEL}",
    f"app.use(session({{ secret: '{CAMEL}', resave: false }}))",
    f"CREATE LOGIN bob WITH PASSWORD = N'{CAMEL}';",
    f"terraform apply -var='db_password={LETTERS}'",
    f"GRANT ALL ON *.* TO 'x'@'%' IDENTIFIED BY '{LETTERS}' WITH GRANT OPTION;",
    '  keystorePassword: "tramdub-lostep-ferry-anvil"',
    f"user bob pw {CAMEL}",
    f"the admin password should be {CAMEL}",
    f"mit dem Passwort {SNAKE} kommst du rein",
    f"das alte Passwort war {SNAKE}",
    f"ich habe das Root-Passwort auf {CAMEL} geändert",
    f"I changed my password from {PARTS} to something else",
    f'nimm einfach "{PARTS}" als Passwort',
    f"PIN/Passwort fürs NAS ist {LONG}",
    f"Password - {CAMEL}",
    f"**Password:** {CAMEL}",
    f"root / {SNAKE}",
    f"try bob@acme.test / {LONG}",
    f"the wifi key is {SNAKE}",
    f"| user | password |\n|---|---|\n| bob | {SNAKE} |",
    # other forms of a setting
    f"<key>REDIS_PASSWORD</key>\n<string>{WORD}</string>",
    f'<User>x</User><Pass encoding="base64">{LONG}</Pass>',
    f"DD_API_KEY=\\\n{HEX}",
    f"- SNYK_TOKEN → {UUID}",
    f"setze POSTMARK_API_TOKEN auf {UUID}",
    f'{{"username": "bob", "key": "{HEX}"}}',
    f'api:\n  encryption:\n    key: "{LONG}{LONG[:19]}="',
    f"Unseal Key 1: {LONG}{LONG[:19]}=",
    "define('AUTH_KEY',         '" + "-lltP0}wGjd9*LLqFb(kpj2fO4/,si<QMiXS*D>" + f"{LONG}');",
    # other commands, files and calls
    f"printf '%s' '{WORD}' > /run/secrets/db_password",
    f"echo '{WORD}' | su -c id root",
    f"sudo -S whoami <<< '{CAMEL}'",
    f"aws ssm put-parameter --name /app/db --type SecureString --value {CAMEL}",
    f"az keyvault secret set --vault-name v --name db --value {CAMEL}",
    f"poetry config http-basic.acme bob {LONG}",
    f"isql mydsn bob {CAMEL}",
    f"drush user:password admin '{CAMEL}'",
    f"expect -c 'spawn su; send \"{CAMEL}\\r\"'",
    f"masterauth {SNAKE}",
    f"<auth-user-pass>\nbob\n{SNAKE}\n</auth-user-pass>",
    f"chpasswd:\n  list: |\n    root:{SNAKE}\n",
    f'WiFi.begin("Home", "{CAMEL}");',
    f'new NetworkCredential("bob", "{CAMEL}");',
    f"$db = new mysqli('localhost', 'root', '{CAMEL}', 'shop');",
    f'sql.Open("mysql", "root:{CAMEL}@tcp(127.0.0.1:3306)/shop")',
    f"https://acme.test/reset-password?token={LONG[1:20].replace('2', 'x').replace('7', 'y')}4",
    f"https://acme.azurewebsites.test/api/f?code={LONG}{LONG}==",
    f"https://maker.acme.test/trigger/x/with/key/{LONG}",
    "my seed phrase is " + "anvil ferry lostep tramdub walnut copper orbit maple tiger velvet marble rocket",
    # prose, and other languages
    f"log in with bob@acme.test / {WORD}",
    f"das Passwort lautet {WORD}x9",
    f"contraseña: {WORD}",
    f"--senha '{WORD}'",
    f"wachtwoord = {WORD}",
    f"пароль от базы {WORD}",
    f"密码是 {WORD}",
    f"パスワードは {WORD} です",
    f'os.getenv("비밀번호", "{WORD}")',
    f"https://discord.com/api/webhooks/1326616094524348467/{LONG}{LONG}",
    f'url = "https://qyapi.weixin.qq.com/cgi-bin/webhook/send?key={UUID}"',
    f'require("twilio")("AC{HEX[::-1]}", "{HEX}")',
    f"export COSMOS_PRIMARY_KEY='{LONG}{LONG}{LONG}{LONG[:14]}=='",
    f'{{"kty": "EC", "x": "abc", "d": "{LONG}{LONG[:19]}"}}',
    f'"primaryKey": "{LONG}{LONG[:19]}=",',
    f"api_key: acme-shop-{HEX}",
    "La parola d'ordine è Anvil=3461anvil",
    f"WALLET_WIF=K1{LONG}{LONG}aa",
    f"$ cat /etc/openvpn/auth.txt\nvpn-kim\n{LONG}\n# end",
    f"Input Password    id:pwd    {WORD}#m=x",
    f"the password is now {WORD}.-",
    f"La parola d'ordine per la rete wifi del magazzino è {WORD}!",
    f"De API-sleutel van de vervoerder is {HEX}, zet die in de config.",
    "Привет, пароль от тестового сервера: Anvil.anvil52, логин admin.",
    f"Hei, passordet til databasen er {LONG[:13]}, bruker rapport.",
    f"รหัสผ่านเซิร์ฟเวอร์ทดสอบคือ {WORD}#9-marbl ผู้ใช้ admin",
    f"le mot de passe du compte administrateur est JUVE_{WORD}%velve, merci",
    f"Le code wifi du bureau de Lyon c'est Rosmarin@{WORD}",
    "I wrote the seed words down: anvil copper agent adjust cargo civil comfort cricket banner album bacon arena.",
]
BARE = [
    "hf_" + "VMJGCezcEskubMvFzEtslTuezFFBPsevoJ",
    "api_org_" + "EOCNRXttXBpXrPzFtDSPleGLnYVnixVxpL",
    HEX + "-f56f19f1-a43a85d0",
    "rpa_" + "HEVG2LZNBUOE3AF7A9DUH9C38AWHRVDERJM2JB3WC93YOR",
    "25p57iq14c" + "msh3xz8dxova1npc0yp1e19amijsnl0jmlqvlmtkq",
    "WPL_AP1." + "UsBjAAnMErlBbvxR.2mzefyI1==",
    "5KAkpZEUTMJoT4Kf1rZG4G9CYqonj2c2dipaC5389GkyA9BBqP7",
    f"I pasted {LONG}Qz81 into the dashboard",
    f"s.{LONG}",
    f"export X=cio{LONG}Qz81aB3d",
    f"AAAAZVOycld:APA91b{LONG}-{LONG}-{LONG}-{LONG}-{LONG}",
    "AVNS_" + "I9PE1Hlns_jReT_t4FH",
    "rzp_live_" + "QvLVfiPslNq07C",
    "gto_" + "isq4c9fa8ao0hhtx47t0zxhwasqlawhi6hiw2ajlsry9te6f47c8",
    "SWMTKN-1-" + "c22c2aa9y8eoa3pjzqrllx8tytkx41v6muy2ihtqd5oziehh1v-rx0j1jczgjlibi1xc8fpu7rc3",
    "amzn1.oa2-cs.v1." + HEX + HEX,
]
# Where no word tells of a secret: only the value's looks and its place do.
ALONE = [
    f'"kim@isp"  *  "{WORD}"',
    f"conn = database('x','kim','{WORD}');",
    f"new Sequelize('shop', 'kim', '{WORD}')",
    f"db2 connect to sample user kim using {WORD}",
    f"conn.simple_bind_s('kim', '{WORD}')",
    f"child.sendline('{WORD}')",
    f'createUser kim SHA "{WORD}" AES',
    f"rocommunity {WORD} 10.0.0.0/8",
    f'["mysql", "-u", "root", "-p{WORD}"]',
    f"jelszó: {WORD}",
]

HARMLESS = [
    "the password is checked_by_the_server, not here",
    "unlock the-door-first, then go in",
    "password: user_input_field",
    "The passphrase is brute-forced-by nobody",
    "-----BEGIN CERTIFICATE-----\nMIIDdzCCAl+gAwIBAgIEAgAAuTANBgkqhkiG\n-----END CERTIFICATE-----",
    # ids, fingerprints and times that stand beside a telling word
    f"gpg: Signature made with RSA key {HEX}{HEX[:8]}",
    f"CACHE KEY: Linux-node-{HEX}",
    "X-Amzn-Trace-Id: Root=1-b6f58280-afb7e7525ab2978f36d0b9a5",
    '10.0.0.7 - - [18/Nov/2026:05:12:09 +0000] "POST /login HTTP/1.1" 200 512',
    f'REDIS_PASSWORD=<your-token>\n{{"request_id":"{UUID}","status":200}}',
    "pod/indexer-1a251250-jv6zv created",
    "cf-ray: cca0cec0236ff309-FRA",
    "const TOKEN_REGEXP = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;",
    "password = base64.b16encode(random_bytes[8:])",
    "the passphrase is asked for when the agent starts",
    "passphrase: derived from user input via scrypt",
    "npm:string-width@4.2.0 and workspace:pkg-a2@next.acme",
    '"token_type":"Bearer",\n"expires_in":3600,\n"scope":"cli"',
    'W/"9c781347-Vvo-1ZBcNtZWNFaX0EW9oaRQpc8"',
    "the model claude-sonnet-4-5-20250929 ran on Ubuntu2204",
    "git log 95a01a35..4e480f90 in /home/kim/app/a8f3k2Xq9",
    "index 1e4f9e0d..6c71086b 100644",
    "FUNC:_ZNKSbIwSt11char_traitsIwESaIwEEixEm@@GLIBCXX_3.4",
    "FUNC:_ZNSt7__cxx1112basic_stringIwSt11char_traitsIwESaIwEE12_Alloc_hiderC1EPwRKS3_@@GLIBCXX_3.4.21",
    "if (color.startsWith('ansi256')) {",
    "reported by Thomas1664 on github",
    "key: bun-test-apps-cli-test-eval-integration-test-ts-fa-d4c7775f",
    f"prj_{LONG}ab12",
    f"pk_live_{LONG}",
    f"kid: {LONG}-{LONG[:18]}",
    f'"x5t": "{LONG}abc"',
    f'"n": "{LONG}{LONG}{LONG}", "e": "AQAB", "kty": "RSA"',
    f"cacheKey: v2-Linux-node-{HEX}{HEX}",
    f"restore-keys: Linux-pip-{HEX}",
    f"encrypted_content: gAAAAAB{LONG}{LONG}",
    "mod credentials; use credentials::v2::Item3;",
    "GITHUB_TOKEN=ghp_" + "x" * 36,
    "the seed phrase is a list of words that the wallet shows only once and you have to write down",
    "| name | tokens | cost |\n|---|---|---|\n| opus | 12345 | $3 |",
    "DB_PASSWORD=changeme",
    "DB_PASSWORD=your_password_here",
    "PASSWORD: required",
    "the password is required for the admin login",
    "Das Passwort für den Server ist abgelaufen.",
    "Zugangsdaten: siehe Wiki / Tresor",
    "this is for the new password dialog, see issue 4312",
    "password: SecretStr64",
    "the 2FA code is checked in totp.py",
    f"msg_01{LONG[:22]}",
    f'W/"bb4bdbbc-{LONG}abc"',
    f"sha256={LONG}{LONG[:19]}",
    f"app/words.py,sha256=r8_{LONG}{LONG[:16]},14949",
    f"ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAA{LONG} bob@host",
    f"https://docs.acme.test/d/{LONG}{LONG[:20]}/edit",
    "usage: input_tokens=95743 output_tokens=4412 cache_read_tokens=95743",
    "--- PASS: TestFetchLatestVersion2 (0.00s)",
    "https://docs.acme.test/worker/token?page=2#password-reset",
    'Session(aws_secret_access_key="[redacted:aws-secret-key]", region_name="us-east-1")',
    'c_function_name="CPyList_GetItemInt64Borrow",',
    "the token refresh broke in 66caa060b7db817dce3e657006cf56477c3526e6",
    f"password reset for order {UUID}",
    f"aws cognito-idp forgot-password --client-id {HEX}",
    f'"token": null, "id": "{UUID}"',
    "Ask the admin: Absolutely! The key is to start small (PR#42).",
    f"FROM node:20-alpine@sha256:{HEX}{HEX}",
    f"Cache restored from key: Linux-node-{HEX}{HEX[:8]}",
    f'{{"keys":[{{"kty":"EC","crv":"P-256","kid":"41itxame","x":"{LONG}{LONG[:19]}","y":"{LONG[::-1]}{LONG[:19]}"}}]}}',
    f'{{"kty": "RSA", "n": "{LONG}-{LONG}_{LONG}{LONG}-{LONG}", "e": "AQAB"}}',
    "DATABASE_URL=postgres://smtp:${DB_PASSWORD}@db.pay.acme.test:5432/smtp",
    "self.assertEqual(dll._test_i38748_runCallback(callback, 5, 10), 15)",
    "the pin of the connector on the card is 3.3 V, pin 14 of port 8080 is free",
    "the lifetime of the token is ttl=3600sec",
    "the password was sent to kim22@acme.de",
    "pin the version of the door service to 20240117",
    "the exit code is 1234, código de error: 1045",
    "the password is stored in the vault of the team",
    'password: "enter your new password here"',
    "/confirm/password-reset-for-the-first-time-users",
    # words that are none of a password: labels, names of code, what goes on in a sentence, verdicts of tests
    'passwordConfirm: "Bekreftelse",',
    "La contraseña es obligatoria.",
    "ditt lösenord eftersom ditt konto är skrivskyddat.",
    "Nieprawidłowe hasło: minimalna długość {0}.",
    "the username or password provided is incorrect.",
    "Pass `organizationId` to scope the result",
    "--- PASS: TestCacheReadWrite (0.00s)",
    "user.password = generatedValue",
    "        self.trust_password = trust_password",
    "def login(user, password=userPassword):",
    'type: "text" | "password" | "richtext-area"',
    'msg(shown ? "hidePassword" : "showPassword"), "aria-controls": panelId',
    "const keys = ['owningId']",
    'loginCredential: "Anmeldeinformation"',
    "  password: hashedPassword",
    "def from_secret(secret: PotentialSecret) -> 'PotentialThing':",
]


@pytest.mark.parametrize("text", [*NAMED, *BARE, *ALONE])
def test_a_secret_in_such_a_place_goes(text: str) -> None:
    """No half of the value is left, and a sweep asks for a closer look at the text."""
    left = redact.redact(text)[0]
    assert "[redacted:" in left
    parts = (WORD, LONG[:12], LONG[-12:], UUID[:12], HEX[:16], WORDS[:12], CAMEL, SNAKE, PARTS, LETTERS, "anvil")
    assert not any(value in left for value in parts)
    assert redact_gate.suspects([text]) == {0}


@pytest.mark.parametrize(
    "text",
    [
        "the pin for the safe of the server room is 18974805, ask Kim",
        "Die PIN für die Alarmanlage ist 5357391.",
        "pin of the back door: 53573",
        "le code d'accès du portail est 19235",
        "código de la puerta: 88123",
        "SIM PIN: 285098",
        "the PIN for the signing token is 331783, you need it",
        "KEYSTORE_PIN=877526",
        "passcode: 650907",
    ],
)
def test_the_number_that_opens_a_safe_or_an_alarm_goes(text: str) -> None:
    """A PIN is known by what it opens."""
    assert redact.redact(text)[1] == ("pin",)
    assert redact_gate.suspects([text]) == {0}


@pytest.mark.parametrize("text", HARMLESS)
def test_what_only_looks_like_a_secret_stays(text: str) -> None:
    """Ids, digests, public keys, names of code and counts stay as they are."""
    assert redact.redact(text) == (text, ())


@pytest.mark.parametrize(
    "piece",
    [
        "https://a:b@",
        " -p",
        "key-",
        "token=",
        "1_",
        "password is ",
        f"{LONG} ",
        "auth(",
        " / a1",
        "pass | a\n",
        "get secret\n",
    ],
)
def test_twice_the_text_takes_twice_the_steps(piece: str) -> None:
    """A hostile text costs in proportion to its length: no look at one place grows with the rest of the text."""
    some, more = (steps_of(piece * (length // len(piece))) for length in (3_000, 6_000))
    assert more < 2.2 * some + 500


def test_a_word_without_spaces_is_not_read_letter_by_letter_at_each_name_in_it(monkeypatch) -> None:
    """A script that sets no spaces makes one word of a text, and a name may stand in it again and again."""
    redact.redact("密码")
    monkeypatch.setattr(redact, "_value_of", [])
    assert steps_of("密码" * 1_000) < 100 * 1_000


def steps_of(text: str) -> int:
    """Return how many lines of Python and calls it takes to redact a text."""
    steps = 0

    def count(frame, event, argument):
        nonlocal steps
        steps += 1
        return count

    before = sys.gettrace()
    sys.settrace(count)
    try:
        redact.redact(text)
    finally:
        sys.settrace(before)
    return steps


def test_a_hint_in_a_path_asks_for_no_closer_look() -> None:
    """A folder of root or of an admin is in most texts: a hook must not load the patterns for it."""
    for text in ("/root/app1/x", "kept in tests-of-root/run42", "see /srv/admin/a1b2c3d4"):
        at = max(text.find("root"), text.find("admin"))
        assert is_of_path(text, at)
    assert not is_of_path("login: admin/hunter22", 7)


@pytest.mark.parametrize("between", [" and ", "\n", ", ", " / "])
def test_the_secret_beside_an_id_of_aws_goes(between: str) -> None:
    """No word names it: the id before it, or behind it, does. A commit in the same place stays."""
    id = "AKIA" + "Q3EGRTYUIOPLK7ZX"
    secret = "bXyq81KdmfTTzq0Pl2vN/" + "7sJwHcR4uEaGo5xYtB9"
    commit = "66caa060b7db817dce3e657006cf56477c3526e6"
    assert redact.redact(f"aws {id}{between}{secret}.")[0] == (
        f"aws [redacted:aws-access-key-id]{between}[redacted:aws-secret-key]."
    )
    assert redact.redact(f"aws {id}{between}{commit}.")[0] == f"aws [redacted:aws-access-key-id]{between}{commit}."
    assert redact.redact(f"aws {secret}{between}{id}.")[0] == (
        f"aws [redacted:aws-secret]{between}[redacted:aws-access-key-id]."
    )
    assert redact.redact(f"aws {commit}{between}{id}.")[0] == f"aws {commit}{between}[redacted:aws-access-key-id]."
