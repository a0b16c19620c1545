import{a,b}from"./part-MWHOTEWJ.js";import"./part-ZFKJU2T4.js";import"./part-KTVVMR7K.js";import"./part-NYURAPZD.js";import"./part-D2XOQWDA.js";export{b as SignInCard,a as default};
